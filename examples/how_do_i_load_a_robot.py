"""How do I load a robot? From a URDF, MJCF or YAML file."""

from pathlib import Path

import touchweight as tw

# a file of your own goes here; this one is short
Path("gantry.urdf").write_text("""
<robot name="gantry">
  <link name="rail"/>
  <link name="carriage">
    <inertial><mass value="4"/><inertia ixx="0.02" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="hook">
    <inertial>
      <origin xyz="0 0 -0.6"/><mass value="1.5"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="carriage"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="100" velocity="2"/>
  </joint>
  <joint name="swing" type="continuous">
    <parent link="carriage"/><child link="hook"/><axis xyz="0 1 0"/>
  </joint>
</robot>
""")

mechanism = tw.load("gantry.urdf")
for problem in mechanism.check():
    print(problem)
print(mechanism)
for remark in mechanism.remarks:
    print("  remark:", remark)

model = mechanism.compile()
print("mass matrix with the hook at 0.4 rad:")
print(model.mass_matrix({"swing": 0.4}))

mechanism.save("gantry.yaml")  # the same mechanism as YAML, to read and to edit
