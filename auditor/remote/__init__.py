"""The room of addresses: what fsspec reaches (`s3://`, `gs://`, `hf://`, `https://`, …), brought here and sent there.

Readers and writers know files of this disk alone: what an address names is copied whole to a folder of its own before
it is read, and what is written goes there when it is whole. Credentials are those that the libraries find by
themselves, in the environment or a profile.
"""

from auditor.remote.addresses import address_of
from auditor.remote.incoming import Near
from auditor.remote.outgoing import sending
from auditor.remote.pace import PATIENCE, Patience

__all__ = ["PATIENCE", "Near", "Patience", "address_of", "sending"]
