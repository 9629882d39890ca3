import sys; sys.path.insert(0,'/tmp')
import numpy as np
from pp import Sys
from touchweight.library.piano.action import build
s=Sys(build()); hi=s.tree.speeds.index("hammer")
def gap(q): th=q[hi]; return 154-(106+np.sin(th)*132.1+np.cos(th)*48)
def settle(theta,h,n):
    q=np.zeros(s.nv); q[hi]=-.3345; v=np.zeros(s.nv); s.P0[:]=0
    for i in range(n): q,v,P,Pt,_=s.step(q,v,np.zeros(1),h,theta=theta)
    return q,v
for th,h0,n in ((1.0,1e-4,5000),(1.0,5e-4,1000),(.5,5e-4,1000)):
    q0,v0=settle(th,h0,n); P00=s.P0.copy()
    for F0,h in ((5.,1e-4),(5.,5e-4),(20.,5e-4)):
        q,v=q0.copy(),v0.copy(); s.P0=P00*h/h0; s.stat=[]; hit=None; mg=99
        for i in range(int(.15/h)):
            tt=i*h; vp=v; q,v,P,Pt,_=s.step(q,v,np.array([min(F0,F0*tt/.01)]),h); mg=min(mg,gap(q))
            if hit is None and P[12]>.02: hit=(tt,vp[hi]*.1321)
        print(th,h0,"F0",F0,"h",h,"hit",hit,"mingap",mg,"end",gap(q),np.max(s.stat,axis=0),np.mean(s.stat,axis=0), "q0",np.round(q0,5))
print(getattr(s,'bad',None))
