import ForeignData

ForeignReader.runReader()
