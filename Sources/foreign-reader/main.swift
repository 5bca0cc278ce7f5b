import ForeignData

// The only thing that this program does.
ForeignReader.run()
