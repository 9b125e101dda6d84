"""CustomResourceDefinitions: their life, and the rules they bring for the objects they define (sheet §5)."""
