"""How do I play a piano key? Move it, push it or put a finger on it; the action does the rest."""

from touchweight.library import piano

# the key follows a motion: 10 mm down in 60 ms; what does the hand feel, how fast is the hammer?
model = piano.build("motion").compile()
stroke = piano.analyse(piano.play(model, piano.press(0.06), 0.3))
print(f"the hammer strikes at {stroke.speed:.2f} m/s; the finger feels up to {stroke.finger.max():.1f} N")
for moment in stroke.moments[:6]:
    print(f"  {1e3 * moment.t:5.1f} ms  {moment.name}")

# the same motion on another key of the piano: parameters of the same compiled model
for key in ("A0", "C8"):
    stroke = piano.analyse(piano.play(model, piano.press(0.06), 0.3, parameters=piano.action_for(key)))
    strike = stroke.strikes[0]
    print(f"{key}: {strike.speed:.2f} m/s, {1e3 * strike.contact_time:.1f} ms at the string")

# as a technician measures it, and after turning the three screws
print(piano.measure(model))
screws = piano.regulate(model, piano.Regulation(blow=47.0, let_off=2.0))
print({name: f"{1e3 * height:.2f} mm" for name, height in screws.items()})

# a constant force of the finger, and a finger of flesh that intends to go 12 mm down
pushed = piano.build("force").compile()
print(f"5 N: {piano.analyse(piano.strike(pushed, 5.0)).speed:.2f} m/s")
finger = piano.build("finger").compile()
stroke = piano.analyse(piano.play(finger, piano.press(0.06, 12e-3), 0.3))
print(f"a finger: {stroke.speed:.2f} m/s, with up to {stroke.finger.max():.1f} N at its tip")
