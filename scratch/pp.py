import numpy as np, time, sys, touchweight as tw
from touchweight.library.piano.action import build
from touchweight.dynamics.contact import touches
from touchweight.dynamics.tree import build_tree
from touchweight.dynamics.frames import postures
from touchweight.dynamics.forces import gather_forces
from touchweight.dynamics.inverse import inverse_dynamics
from touchweight.dynamics.mass import mass_matrix
from touchweight.dynamics.slopes import *
from touchweight.codegen.function import Function
from touchweight.codegen.program import make_program
from touchweight.codegen.callable import compile_function
from touchweight.symbolic import ZERO, substitute, maximum, share, differentiate, fresh_table
from touchweight.mechanism.contact import COMPRESSION, COMPRESSION_RATE
from touchweight.symbolic import symbol
class Sys:
    def __init__(s, m):
        s.m=m; par=[p.symbol for p in m.parameters.values()]; s.p=np.array([p.value for p in m.parameters.values()])
        for k in list(m.forces):
            if k.endswith("dry_friction"): del m.forces[k]
        tree=build_tree(m); where=postures(tree,frozenset()); s.tree=tree; s.nv=len(tree.speeds)
        ts=touches(m,tree,where); s.ts=ts; nv=s.nv
        U=[i.symbol for i in m.inputs.values()]
        s.nt=sum(len(t.tangents) for t in ts)
        def comp(name,i,o):
            f=compile_function(make_program(Function(name,i,o,par))); tab=f.prepare(s.p); return lambda *a: f.evaluate(tab,list(a))
        s.touch=comp("touch",{"q":tree.q},{"g":[t.gap for t in ts],"N":[t.normal.get(k,ZERO) for t in ts for k in range(nv)],"T":[r.get(k,ZERO) for t in ts for r in t.tangents for k in range(nv)]})
        M=mass_matrix(tree,where).rows(); s.mass=comp("mass",{"q":tree.q},{"M":[x for r in M for x in r]})
        fo=gather_forces(m,tree,where); tau=inverse_dynamics(tree,where,[ZERO]*nv,fo.wrenches)
        c=[a-b for a,b in zip(tau,fo.generalised)]
        al=along_speeds(tree)
        s.bias=comp("bias",{"q":tree.q,"v":tree.v,"u":U},{"c":c,"K":[-x for r in by_directions(fo.generalised,al) for x in r],"D":[-x for r in by_symbols(fo.generalised,tree.v) for x in r]})
        ds=[symbol(f"d{i}","state") for i in range(len(ts))]; rs=[symbol(f"r{i}","state") for i in range(len(ts))]
        F=[]; Fd=[];Fr=[]
        for t,d,r in zip(ts,ds,rs):
            e=substitute(t.contact.force,{COMPRESSION:d,COMPRESSION_RATE:r}); F.append(e); Fd.append(differentiate(e,d)); Fr.append(differentiate(e,r))
        s.law=comp("law",{"d":ds,"r":rs},{"F":F,"Fd":Fd,"Fr":Fr})
        pv={p.symbol:p.value for p in m.parameters.values()}
        from touchweight.symbolic import evaluate
        s.mu=np.array([evaluate(t.contact.friction,pv) for t in ts]); 
        s.tan=[i for i,t in enumerate(ts) for _ in t.tangents]
        s.drys=[tree.speeds.index(k) for k in m.dry_friction]; s.dryl=np.array([evaluate(e,pv) for e in m.dry_friction.values()])
        s.P0=np.zeros(s.nt+len(s.drys)); s.stat=[]
    def step(s,q,v,u,h,theta=0.5,driven=None,tol=1e-9):
        nv=s.nv; qb=q+theta*h*v
        g,N,T=s.touch(qb); N=N.reshape(-1,nv); T=T.reshape(-1,nv); M=s.mass(qb)[0].reshape(nv,nv); c,K,D=s.bias(qb,v,u); K=K.reshape(nv,nv); D=D.reshape(nv,nv)
        A0=M+h*(theta*D+theta*theta*h*K); 
        Ta=np.vstack([T]+[np.eye(nv)[k][None] for k in s.drys]); Mi=np.linalg.inv(A0)
        eps=1e-3*np.einsum('ij,jk,ik->i',Ta,Mi,Ta)+1e-30
        w=v.copy()
        free=np.ones(nv,bool)
        if driven is not None: w[driven[0]]=driven[1]; free[driven[0]]=False
        Pt=s.P0.copy(); its=0
        rho=1e-3/eps; eps=eps*1e-3
        Ac=h*(theta*D+theta*theta*h*K)
        ix=np.ix_(free,free)
        muT=np.concatenate([s.mu[s.tan],np.zeros(len(s.drys))]); ti=np.array(s.tan+[0]*len(s.drys))
        fixL=np.concatenate([np.zeros(s.nt),h*s.dryl])
        vs=np.sqrt(1/np.diag(M)).max()
        hist=[]
        for k in range(60):
            dl=-(g+theta*theta*h*(N@(w-v))); dr=-(N@((1-theta)*v+theta*w))
            on=dl>0
            f,fd,fr=s.law(np.where(on,dl,1e-12),dr)
            pos=on&(f>0); P=np.where(pos,h*f,0.); dP=np.where(pos,-h*(fd*theta*theta*h+fr*theta),0.)
            L=muT*P[ti]+fixL
            x=Pt-rho*(Ta@w); st=np.abs(x)<=L; Pc=np.clip(x,-L,L)
            # natural residual: momentum balance with projected friction
            R=M@(w-v)+h*c+Ac@(w-v)-N.T@P-Ta.T@Pc
            Rf=R[free]; res=np.sqrt(Rf@np.linalg.solve(M[ix],Rf)); 
            err=np.abs((Pc-Pt)*np.sqrt(1/rho)).max() if len(Pt) else 0   # sqrt energy
            its+=1; hist.append((res,err))
            if res<tol and err<tol: break
            A=A0-(N.T*dP)@N+(Ta.T*np.where(st,1/eps,0))@Ta
            Pk=np.where(st,Pt-Ta@w/eps,np.sign(x)*L)
            Rn=M@(w-v)+h*c+Ac@(w-v)-N.T@P-Ta.T@Pk
            for j in np.flatnonzero(~st&(L>0)):
                A-=np.outer(Ta[j],np.sign(x[j])*muT[j]*dP[ti[j]]*N[ti[j]])
            dw=np.zeros(nv); dw[free]=-np.linalg.solve(A[ix],Rn[free])
            dPn=dP*(N@dw)
            Pn=np.where(st,Pt-Ta@(w+dw)/eps,np.sign(x)*np.maximum(0,L+muT*dPn[ti]))
            al=1.0 if k<12 else .5
            w=w+al*dw; Pt=Pt+al*(Pn-Pt)
        s.P0=Pc; s.stat.append((its,0)); s.hist=hist
        if its>=60 and not hasattr(s,'bad'): s.bad=hist
        R=M@(w-v)+h*c+Ac@(w-v)-N.T@P-Ta.T@Pc; Pt=Pc
        return q+h*((1-theta)*v+theta*w), w, P/h, Pt/h, (R/h)
if __name__=="__main__":
    s=Sys(build()); q=np.zeros(s.nv); q[s.tree.speeds.index("hammer")]=-.3345; v=np.zeros(s.nv)
    print([t.name for t in s.ts], s.nv, s.nt)
    h=5e-4
    t0=time.time()
    for i in range(1000): q,v,P,Pt,R=s.step(q,v,np.zeros(1),h,theta=1.0 if i<400 else .5)
    print("settle",time.time()-t0, dict(zip([t.name for t in s.ts],np.round(P,4))), np.round(q,5), np.abs(v).max())
    print("iters",np.max(s.stat,axis=0),np.mean(s.stat,axis=0))
    hi=s.tree.speeds.index("hammer")
    def gap(q): th=q[hi]; return 154-(106+np.sin(th)*132.1+np.cos(th)*48)
    print("blow",gap(q))
    q0,v0,P00=q.copy(),v.copy(),s.P0.copy()
    for F0 in (0.9,2,5,8,20,35):
      for h in (5e-4,1.25e-4,2e-5):
        q,v=q0.copy(),v0.copy(); s.P0=P00.copy(); s.stat=[]; hit=None
        for i in range(int(.2/h)):
            t=i*h; f=min(F0,F0*t/.01)
            vp=v; q,v,P,Pt,R=s.step(q,v,np.array([f]),h)
            if hit is None and P[12]>0.02: hit=(t,vp[hi]*.1321)
        print(F0,h,"hit",hit,"end gap",gap(q),"iters max/mean",np.max(s.stat,axis=0),np.mean(s.stat,axis=0))
