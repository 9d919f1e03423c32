"""The command line: parses, calls a study, hands the Result to a reporter. stdout is data, stderr is narration."""
