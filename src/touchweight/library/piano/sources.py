"""Where the numbers come from: works that the tables cite by a short name."""

from __future__ import annotations

SOURCES: dict[str, str] = {
    "Thorin 2013": (
        "A. Thorin, X. Boutillon, J. Lozada, X. Merlhiot, Non-smooth simulation of a 6-DOF dynamical model of the "
        "grand piano action, 4th Canadian Conf. on Nonlinear Solid Mechanics, 2013, hal-00825757"
    ),
    "Docquier 2021": (
        "N. Docquier, S. Timmermans, P. Fisette, Haptic devices based on real-time dynamic models of multibody "
        "systems, Sensors 21, 4794, 2021"
    ),
    "Hirschkorn 2004": (
        "M. C. Hirschkorn, Dynamic model of a piano action mechanism, MASc thesis, University of Waterloo, 2004; "
        "quoted by github.com/pitchgrid-io/pitchgrid-mapper, tools/key_recorder/piano_sim.py"
    ),
    "Goebl 2005": (
        "W. Goebl, R. Bresin, A. Galembo, Touch and temporal behavior of grand piano actions, J. Acoust. Soc. Am. 118, "
        "1154, 2005; read in notes that quote it"
    ),
    "Chaigne 1994": (
        "A. Chaigne, A. Askenfelt, Numerical simulations of piano strings, J. Acoust. Soc. Am. 95, 1112 and 1631, "
        "1994; read in public code that quotes it (euphonics.org, 12.2.1)"
    ),
    "Conklin": "H. A. Conklin, Design and tone in the mechanoacoustic piano; read in notes that quote it",
    "Gillespie": (
        "B. Gillespie, B. Yu, R. Grijalva, S. Awtar, Characterizing the feel of the piano action, Computer Music "
        "Journal 35, 2011 (its opening)"
    ),
    "Askenfelt": "A. Askenfelt (ed.), Five lectures on the acoustics of the piano, KTH Stockholm, speech.kth.se/music",
    "Stanwood": "D. Stanwood in the archive of the list pianotech, moypiano.com/ptg, 1996 and 2004",
    "Hartman": "Hartman, quoted by Sutton in the archive of the list pianotech, December 2003",
    "Brekne": "R. Brekne quoting makers' manuals in the archive of the list pianotech, October 2002",
    "Cramer": "Cramer in the archive of the list pianotech, December 2010",
    "Renner": "Renner's pinning torques, my.ptg.org, Grand hammer shank flange pinning torque",
    "Hammerklavier": "research notes on the movement of keyboard instruments (Hammerklavier), which quote makers",
}
