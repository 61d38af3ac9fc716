/**
 * The objects of a row: the row itself and its nested children, each under its dn.
 *
 * A child's dn is its own, or its parent's dn, a slash and its rn. A child with neither is not an
 * object: it is part of the nearest object above it, so a change in it shows there. A row without a
 * dn is skipped, but its children may have dns.
 */
import { SLOTS, type Tape } from "../../../core/json/scan.ts";
import { getShape, type Shape } from "./shape.ts";

export interface ManagedObject {
	/** Byte string. */
	dn: string;
	/** Position among the row and all its nested children in document order; the row is 0. */
	ordinal: number;
	node: number;
	shape: Shape;
}

export interface RowObjects {
	/** Null if the row is not a JSON object. */
	shape: Shape | null;
	objects: ManagedObject[];
	/** Nodes of `objects`, which are left out of the text of the object around them. */
	own: ReadonlySet<number>;
}

const NONE: ReadonlySet<number> = new Set();

/** The objects of the row that the tape holds. */
export function getObjects(bytes: Buffer, tape: Tape): RowObjects {
	const shape = getShape(bytes, tape, 0);
	if (shape === null || shape.children < 0) {
		const single = shape === null || shape.dn === null ? [] : [{ dn: shape.dn, ordinal: 0, node: 0, shape }];
		return { shape, objects: single, own: NONE };
	}
	const objects: ManagedObject[] = [];
	const own = new Set<number>();
	let ordinal = 0;

	function visitObject(node: number, found: Shape, dn: string | null): void {
		if (dn !== null) {
			objects.push({ dn, ordinal, node, shape: found });
			own.add(node);
		}
		ordinal++;
		if (found.children < 0) return;
		const end = tape.nodes[found.children + 3] as number;
		for (let child = found.children + SLOTS; child < end; child = tape.nodes[child + 3] as number) {
			const inner = getShape(bytes, tape, child);
			if (inner !== null) visitObject(child, inner, inner.dn ?? deriveDn(dn, inner.rn));
		}
	}

	visitObject(0, shape, shape.dn);
	return { shape, objects, own };
}

function deriveDn(parentDn: string | null, rn: string | null): string | null {
	return parentDn === null || rn === null ? null : `${parentDn}/${rn}`;
}
