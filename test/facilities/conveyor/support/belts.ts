/** What is behind a conveyor of a program. */
import type { RigidBelt } from "../../../../src/facilities/conveyor/belts/rigid.ts";
import { type SessionFace, sessionOf } from "../../../../src/facilities/conveyor/faces/session.ts";
import type { ItemType } from "../../../../src/ground/item/item-type.ts";

/** The belt of a conveyor of items of one type. */
export const rigidOf = (c: SessionFace): RigidBelt<ItemType> => sessionOf(c) as RigidBelt<ItemType>;
