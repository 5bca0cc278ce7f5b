import ForeignData

ForeignReader.run()
