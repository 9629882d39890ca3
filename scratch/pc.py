import sys; sys.path.insert(0,'/tmp')
import numpy as np
import piano_check as pc
from pp import Sys
from touchweight.library.piano.action import build
r,st=pc.settle(pc.P); print({k: round(float(r[k][-1]), 4) for k in pc.COL[1:7]+pc.COL[14:29]})
F0=5.
hd=2e-4; t=np.arange(400)*hd; drv=np.minimum(F0,F0*t/.01)
R,_=pc.run(pc.P,.05,0,drv,hd,st,every=100)
s=Sys(build()); q=np.zeros(s.nv); hi=s.tree.speeds.index("hammer"); q[hi]=-.3345; v=np.zeros(s.nv)
h=1e-4
for i in range(5000): q,v,P,Pt,_=s.step(q,v,np.zeros(1),h,theta=1.0)
print(s.tree.speeds, np.round(q,5))
names=[t.name for t in s.ts]
for i in range(int(.05/h)):
    tt=i*h; q,v,P,Pt,_=s.step(q,v,np.array([min(F0,F0*tt/.01)]),h)
    if i%30==29:
        k=np.argmin(abs(R.t-(tt+h)))
        print("t=%.4f"%(tt+h), "ours", np.round(q,4), dict((n,round(x,2)) for n,x in zip(names,P) if x>.01))
        print("        ref ", np.round([R.k[k],R.w[k],R.j[k]-R.w[k],R.r[k]-R.w[k],R.h[k],R.d[k]],4), {f"F{j}":round(float(R[f"F{j}"][k]),2) for j in range(1,16) if R[f"F{j}"][k]>.01})
