"""Reading files into the database: stored first, parsed second, quarantined when unreadable."""
