"""The room of addresses: files that fsspec reaches (`s3://`, `gs://`, `hf://`, `https://`, …), copied in and out.

Readers and writers only know local files. The content of an address is copied to a temporary folder before it is read,
and complete output is sent after it is written. The libraries find credentials in the environment or a profile.
"""

from auditor.remote.addresses import address_of
from auditor.remote.incoming import Near
from auditor.remote.outgoing import sending
from auditor.remote.pace import PATIENCE, Patience

__all__ = ["PATIENCE", "Near", "Patience", "address_of", "sending"]
