"""A grand piano action: key, wippen, jack, repetition lever, hammer, damper, string; felts and dry friction."""

from __future__ import annotations

import math

from ...mechanism import Mechanism
from ...mechanism.contact import felt
from ...symbolic import maximum

MM = 1e-3
XF=-225.0

def P(x: float, y: float) -> tuple[float, float, float]:
    return (x * MM, 0.0, y * MM)


def build(capstan=22.30, button=54.79, drop=95.16, drive: str = "force") -> Mechanism:
    m = Mechanism("grand piano action")
    Wx,Wy,Hx,Hy,Dx,Dy=178.,46.,83.,106.,290.,40.
    J=(89.-Wx,43.-Wy); R=(126.-Wx,80.-Wy)
    def body(name, mass, cx, cy, Jp):
        # inertia about own pivot -> about com
        I=Jp-mass*((cx*MM)**2+(cy*MM)**2)
        return m.body(name, mass=mass, com=P(cx,cy), inertia=(max(I,1e-12),max(I,1e-12),max(I,1e-12)))
    key=body("key",.12,-50,10,1.2e-3); wip=body("wippen",.0105,-50,4,3.6e-5); jack=body("jack",.003,-1.5,15,1.45e-6)
    rep=body("lever",.0055,-16,4,4.5e-6); ham=body("hammer",.01174,102.2,14.5,1.541e-4); dam=body("damper",.032,-48,0,8.5e-5)
    th0=-0.3345
    m.revolute("key",m.ground,key,axis="-y",friction=8e-3,damping=2e-4)
    m.revolute("wippen",m.ground,wip,axis="-y",origin=P(Wx,Wy),friction=5e-4,damping=2e-5)
    m.revolute("jack",wip,jack,axis="-y",origin=P(*J),friction=3e-4,damping=3e-6)
    m.revolute("lever",wip,rep,axis="-y",origin=P(*R),friction=2.5e-3,damping=1e-5)
    m.revolute("hammer",m.ground,ham,axis="-y",origin=P(Hx,Hy),friction=1e-3,damping=1e-5,initial=[th0])
    m.revolute("damper",m.ground,dam,axis="-y",origin=P(Dx,Dy),friction=5e-4,damping=2e-5)
    st=m.body("string",mass=2e-4); m.prismatic("string",m.ground,st,axis="z",origin=P(Hx+132.1,154.0),stiffness=2.9e4,damping=12.3)
    m.joint_law("lever.spring_torque","lever",lambda q,v,*,preload,rate: -(preload+rate*q),preload=.028,rate=.1)
    m.joint_law("jack.spring_torque","jack",lambda q,v,*,preload,rate: -(preload+rate*q),preload=.006,rate=.03)
    m.circle("capstan",key,P(113,capstan),5*MM); m.segment("heel",wip,P(101-Wx,27.1-Wy),P(125-Wx,27.1-Wy))
    c,s=math.cos(th0),math.sin(th0)
    kc=(Hx+c*17-s*-9, Hy+s*17+c*-9)
    ux,uy=kc[0]-89,kc[1]-43; l=math.hypot(ux,uy); ux/=l; uy/=l; tx,ty=uy,-ux
    face=l-4.5-.15-.5
    e0=(ux*face+tx*(-5+.5),uy*face+ty*(-5+.5)); e1=(ux*face+tx*(1-.5),uy*face+ty*(1-.5))
    m.segment("jack_top",jack,P(*e0),P(*e1),.5*MM)
    m.circle("knuckle",ham,P(17,-9),4.5*MM)
    top=kc[1]-4.5
    m.segment("lever_top",rep,P(70-126,top-80),P(118-126,top-80))
    m.circle("toe",jack,P(-22,3),2*MM); m.segment("button",m.ground,P(50,button),P(75,button))
    m.circle("drop_screw",m.ground,P(79,drop),2.5*MM)
    m.circle("check",key,P(226.35,56.5),6*MM); m.segment("tail",ham,P(136.9,-29),P(142.8,-5))
    m.circle("strike",ham,P(132.1,48),0.0); m.line("string_line",st,(0,0,0),normal="-z")
    m.circle("key_end",key,P(222,16),4*MM); yl=16+4+4.2
    m.segment("damper_lever",dam,P(222-15-Dx,yl-Dy),P(222+20-Dx,yl-Dy))
    q=m.q
    m.stop("front", 10*MM*215/225-.215*q("key"),felt(2e8,2.2,3e8))
    m.stop("back", .190*q("key"),felt(5e7,2.0,1e8))
    m.contact("capstan-heel","capstan","heel",felt(6.6e7,1.9,2e8),.15)
    m.contact("jack-knuckle","knuckle","jack_top",felt(1.3e8,2.,2e8),.18)
    m.contact("lever-knuckle","knuckle","lever_top",felt(8e7,2.,2e8),.20)
    m.contact("toe-button","toe","button",felt(1e8,2.,2e8),.15)
    m.contact("drop-lever","drop_screw","lever_top",felt(1e8,2.,2e8),.20)
    m.stop("lever_stop",.022*q("lever"),felt(1e8,2.,2e8))
    m.stop("jack_stop",.025*q("jack"),felt(5e7,2.,1e8))
    m.stop("jack_window",.030*(.22-q("jack")),felt(5e7,2.,2e8))
    m.stop("hammer_rest",.1*(q("hammer")+.375),felt(2e7,2.,2e8))
    m.contact("tail-check","check","tail",felt(6e7,2.,6e8),.55)
    m.contact("hammer-string","strike","string_line",felt(1.35e10,2.5,3e8))
    m.contact("key-damper","key_end","damper_lever",felt(5e7,2.,2e8),.2)
    m.stop("damper_string",-.045*q("damper"),felt(2e7,2.,3e8))
    if drive=="force":
        f=m.input("finger","N"); m.joint_law("finger","key",f*.225)
    else: m.drive("key")
    return m
