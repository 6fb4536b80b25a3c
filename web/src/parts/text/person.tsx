/** A member in a table: the name and below it the address, or the address alone. */
export function Person({ name, email }: { name: string; email: string }) {
  return (
    <>
      <strong>{name || email}</strong>
      {name && <div>{email}</div>}
    </>
  )
}
