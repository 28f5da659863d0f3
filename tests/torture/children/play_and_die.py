"""Play scripts on one table with a log on disk, and be killed by kill -9 in the middle of it all.

python play_and_die.py STATE SCRIPT...
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from controller.scripts.direct import DirectTable
from controller.scripts.perform import perform
from controller.scripts.read import read_script


async def play(state: Path, files: list[str]) -> None:
    scripts = [read_script(Path(file)) for file in files]
    table = DirectTable(scripts[0], state, "torture")
    for script in scripts:
        await perform(script, table)
    os.kill(os.getpid(), signal.SIGKILL)


asyncio.run(play(Path(sys.argv[1]), sys.argv[2:]))
