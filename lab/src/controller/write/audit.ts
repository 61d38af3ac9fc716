/** The audit log: each write leaves a record of who changed what. */
import type { Change } from "../changes.ts";
import { formatIsoTime } from "../fabric/builder.ts";
import type { Registry } from "../model/registry.ts";
import { getDn, type Mo, makeShape, readValue, type Shape } from "../store/mo.ts";
import type { Store } from "../store/store.ts";

/** Who changes the fabric. */
export interface Author {
	readonly user: string;
	/** Id of the session; empty where the request was signed. */
	readonly session: string;
}

export interface AuditLog {
	record(changes: readonly Change[], author: Author): void;
}

export interface AuditParts {
	readonly store: Store;
	readonly registry: Registry;
	/** Milliseconds since 1970, by the controller's own clock. */
	readonly now: () => number;
	/** Records that the log keeps: the oldest ones go. */
	readonly most: () => number;
}

/** Record numbers go on far above those of the generated fabric. */
const FIRST = 8_589_934_592;
const INDICATORS = { created: "creation", modified: "modification", deleted: "deletion" } as const;
/** What a record does not say of an object that was made. */
const UNSAID: ReadonlySet<string> = new Set(["childAction", "lcOwn", "modTs", "monPolDn", "status", "uid", "updTs"]);

export function createAuditLog({ store, registry, now, most }: AuditParts): AuditLog {
	let id = FIRST;
	let shape: Shape | null = null;

	function rotateLog(): void {
		const kept = store.ofClass("aaaModLR");
		for (const oldest of kept.slice(0, Math.max(0, kept.length - most()))) store.remove(oldest);
	}

	return {
		record(changes, { user, session }) {
			const cls = registry.find("aaaModLR");
			if (cls === undefined) return;
			shape ??= makeShape(cls, [...cls.props.keys()], new Map());
			const { names } = shape;
			const tx = String(id);
			const created = formatIsoTime(now());
			for (const change of changes) {
				const { kind, mo } = change;
				const dn = getDn(mo);
				const number = String(++id);
				const own: Readonly<Record<string, string>> = {
					affected: dn,
					cause: "transition",
					changeSet: getChangeSet(change),
					code: "E4211936",
					created,
					descr: `${mo.shape.cls?.label ?? ""} ${readValue(mo, "name") || mo.rn} ${kind}`,
					id: number,
					ind: INDICATORS[kind],
					modTs: "never",
					sessionId: session,
					severity: "info",
					trig: "config",
					txId: tx,
					user,
				};
				store.add(
					store.reach([`subj-[${dn}]`]),
					shape,
					`mod-${number}`,
					names.map((name) => own[name] ?? cls.props.get(name)?.initial ?? ""),
				);
			}
			rotateLog();
		},
	};
}

/** `name:web, prio:level1` of an object that was made, `prio (Old: a, New: b)` of a change. */
function getChangeSet({ kind, mo, values, before }: Change): string {
	if (kind === "deleted") return "";
	if (kind === "created") return getValues(mo).join(", ");
	return [...values]
		.filter(([name]) => !UNSAID.has(name))
		.map(([name, value]) => `${name} (Old: ${before.get(name) ?? ""}, New: ${value})`)
		.join(", ");
}

function getValues(mo: Mo): string[] {
	return mo.shape.names.flatMap((name) => {
		const value = readValue(mo, name) ?? "";
		return value === "" || UNSAID.has(name) ? [] : [`${name}:${value}`];
	});
}
