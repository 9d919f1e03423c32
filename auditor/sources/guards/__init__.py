"""What is looked at before a library may open a file: crafted files must not end the process."""
