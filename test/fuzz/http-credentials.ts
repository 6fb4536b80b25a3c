import fc from 'fast-check'

export type Headers = [string, string][]

const cookie = (value: string, site = 'same-origin'): Headers => [
  ['Cookie', value],
  ['Sec-Fetch-Site', site],
]

const session: fc.Arbitrary<Headers> = fc
  .constantFrom('owner', 'admin', 'member')
  .chain((role) =>
    mostly(
      fc.constant(cookie(`{{${role}}}`)),
      fc.constantFrom(
        ...[cookie(`{{${role}}}`, 'cross-site'), cookie(`{{${role}}}; {{${role}}}`), cookie(`x={{${role}}}`)],
        ...[cookie(''), cookie('__Host-mailroom_session='), cookie(`{{${role}}};;=`), cookie(`{{other member}}`)],
      ),
      50,
    ),
  )

/** A key, or a session of each role. */
export const credentials: fc.Arbitrary<Headers> = fc.oneof(
  mostly(
    fc.constant('Bearer {{key}}'),
    fc.constantFrom('', 'Bearer', 'Bearer mrk_x', 'Basic eDp5', 'bearer {{key}}'),
    50,
  ).map((authorization): Headers => (authorization === '' ? [] : [['Authorization', authorization]])),
  session,
)

/** One in so many is another. */
export function mostly<T, U>(usual: fc.Arbitrary<T>, another: fc.Arbitrary<U>, oneIn: number): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: usual }, { weight: 1, arbitrary: another })
}
