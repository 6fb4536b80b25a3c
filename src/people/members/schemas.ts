import { Id, Line, OneOf, Strict, Timestamp } from '#/http/schemas/shared-schemas.ts'
import { Type } from '#/http/schemas/type.ts'
import { type Member, memberEmail, memberName, roles } from './member.ts'

export const memberFields = {
  id: Id,
  email: Type.String({ examples: ['ada@tryout.test'] }),
  name: Type.String({ description: 'Empty if none was given.', examples: ['Ada Lovelace'] }),
  role: OneOf(roles),
  joined_at: Timestamp,
}

export const MemberOut = Type.Object(memberFields, { title: 'Member' })

/** The body of `POST /v1/members`. */
export const NewMember = Strict({
  email: Line({
    minLength: 1,
    description: "The member's address. It is unique in the organization, in any case.",
    examples: ['ada@tryout.test'],
    rule: memberEmail,
  }),
  name: Type.Optional(Line({ description: 'Up to 128 characters.', examples: ['Ada Lovelace'], rule: memberName })),
  role: Type.Optional(OneOf(roles, { default: 'member' })),
})

export const MemberChange = Strict({ role: OneOf(roles) })

export function present({ joined_at, ...member }: Member) {
  return { ...member, joined_at: joined_at.toISOString() }
}
