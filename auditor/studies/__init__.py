"""The room of questions: each study composes the rooms below into one Result."""
