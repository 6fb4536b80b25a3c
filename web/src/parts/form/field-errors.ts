import { createContext, useContext } from 'react'

/** The errors of a form by field. They stay until the next attempt. React Aria's own vanish when a field is left, which
 *  moves the button that is being pressed. */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({})

export function useFieldError(name: string | undefined): string | undefined {
  const errors = useContext(FieldErrors)
  return name === undefined ? undefined : errors[name]
}
