/** The field that names what a message forwards, as Thunderbird writes it too. No RFC has one. */
export const forwardedField = 'X-Forwarded-Message-Id'
