"""A cart on a rail with a pole on it, and a wall at each end of the rail."""

from __future__ import annotations

from ...mechanism import Mechanism


def build(
    cart_mass: float = 1.0,
    pole_mass: float = 0.1,
    length: float = 1.0,
    reach: float = 1.0,
    restitution: float = 0.7,
    damping: float = 0.0,
) -> Mechanism:
    """A cart with a pole, between two walls.

    ``cart`` [m] is the place of the cart, zero halfway between the walls; ``pole`` [rad] is zero when the pole stands
    upright and positive when it leans to the right. The input ``motor`` [N] pushes the cart. Against a wall the cart
    bounces: the impulse goes through the mass matrix, so the pole is jerked. Pressed against a wall it stays there, in
    the mode ``left.rest`` or ``right.rest``, until it is pulled away.

    Masses and length are those of Barto, Sutton and Anderson, "Neuronlike adaptive elements that can solve difficult
    learning control problems", IEEE Trans. SMC 13 (1983); Gillespie and Cutkosky, "Interactive dynamics with haptic
    display" (1996), let people feel "pendulums on carts colliding with walls".

    Args:
        cart_mass: [kg].
        pole_mass: of a uniform pole [kg].
        length: of the pole [m].
        reach: how far the cart goes from the middle before it hits a wall [m]; live.
        restitution: speed after a hit over speed before; live as ``left.restitution`` and ``right.restitution``.
        damping: viscous friction of the rail [N s/m].
    """
    m = Mechanism("cart and pole")
    across = pole_mass * length**2 / 12.0
    cart = m.body("cart", mass=cart_mass)
    pole = m.body("pole", mass=pole_mass, com=(0, 0, length / 2), inertia=(across, across, 0))
    m.prismatic("cart", m.ground, cart, axis="x", damping=damping)
    m.revolute("pole", cart, pole, axis="y", initial=[0.1])
    m.actuator("motor", "cart")
    wall = m.parameter("reach", reach, "m", minimum=0.0, description="from the middle to where the cart hits a wall")
    m.mode("free")
    m.transition("left", "free", "free", m.q("cart") + wall, restitution=restitution, rest=True)
    m.transition("right", "free", "free", wall - m.q("cart"), restitution=restitution, rest=True)
    m.sensor("tip", "position", m.frame("tip", pole, origin=(0, 0, length)))
    return m
