// The first use has the browser load its tables of languages.
new Intl.DateTimeFormat()
