"""Builder of the World KB: one module per source, a small model, a schema, a checker and a writer."""
