"""``python -m controller``: the same as the command ``tablekeeper``."""

import sys

from controller.cli import main

sys.exit(main())
