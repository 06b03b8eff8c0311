"""What makes the files of a release, by the verb of scripts/package: in this order, since the sums are of all others."""

import archive
import debian
import image
import npm
import sums

MAKERS = {"deb": debian.make, "archive": archive.make, "npm": npm.make, "image": image.make, "sums": sums.make}
