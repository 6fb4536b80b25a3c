// The first use makes the browser load its tables of languages.
new Intl.DateTimeFormat()
