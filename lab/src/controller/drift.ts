/**
 * Drift of a fabric in steps of one hour: some objects change, some are deleted, some are created,
 * and clocks and counters advance. Seed and steps determine the drift.
 */
import type { Change, ChangeFeed } from "./changes.ts";
import type { FabricClock } from "./clock.ts";
import type { Registry } from "./model/registry.ts";
import { createRandom, type Random } from "./random.ts";
import { getDn, type Mo, makeShape, readValue } from "./store/mo.ts";
import type { Store } from "./store/store.ts";
import type { AuditLog, Author } from "./write/audit.ts";

export interface DriftReport {
	readonly steps: number;
	/** The fabric's time after the last step. */
	readonly now: string;
	readonly changed: readonly string[];
	readonly created: readonly string[];
	readonly deleted: readonly string[];
	/** Objects of which only clocks and counters moved. */
	readonly volatile: readonly string[];
}

export interface Drift {
	/** @param rate part of the configured objects that change in a step, 0…1 */
	advance(steps: number, rate: number): DriftReport;
}

const STEP = 3_600_000;
/** Who changes the fabric meanwhile. */
const AUTHORS = ["admin", "operator", "automation"];
const NOTHING: ReadonlyMap<string, string> = new Map();
/** Classes that change, and what changes on them. */
const CHANGES: readonly (readonly [string, (random: Random, mo: Mo) => readonly (readonly [string, string])[]])[] = [
	[
		"fvBD",
		(random, mo) => [toggleValue(mo, random.pick(["arpFlood", "unicastRoute", "ipLearning", "limitIpLearnToSubnets"]))],
	],
	[
		"fvAEPg",
		(random) => [
			["prio", random.pick(["unspecified", "level1", "level2", "level3"])],
			["descr", `changed ${random.int(1_000_000)}`],
		],
	],
	["fvSubnet", (random) => [["scope", random.pick(["private", "public", "public,shared"])]]],
	["fvRsPathAtt", (random) => [["encap", `vlan-${100 + random.int(3900)}`]]],
	["vzEntry", (_random, mo) => [toggleValue(mo, "stateful")]],
	["fvTenant", (random) => [["descr", `changed ${random.int(1_000_000)}`]]],
	["ethpmPhysIf", (_random, mo) => [["operSt", readValue(mo, "operSt") === "up" ? "down" : "up"]]],
	["fvCEp", (random) => [["encap", `vlan-${100 + random.int(3900)}`]]],
	["healthInst", (random) => [["cur", String(60 + random.int(41))]]],
];
/** Classes that come and go. */
const COMING = ["fvRsPathAtt", "fvCEp", "fvSubnet"] as const;

function toggleValue(mo: Mo, name: string): readonly [string, string] {
	return [name, readValue(mo, name) === "yes" ? "no" : "yes"];
}

/** The fabric that drifts, and the random numbers that choose its changes. */
interface DriftState {
	readonly store: Store;
	readonly random: Random;
	readonly clock: FabricClock;
	made: number;
	/** Its own, so that who changes something does not affect what changes. */
	readonly people: Random;
	readonly registry: Registry;
	readonly audit: AuditLog;
	readonly feed: ChangeFeed;
}

function changeObjects(drift: DriftState, rate: number): Change[] {
	const changes: Change[] = [];
	for (const [cls, values] of CHANGES) {
		// In DN order, so that earlier requests do not affect the choice.
		const mos = drift.store.ofClassByDn(cls);
		for (let left = chooseAmount(drift, mos.length, rate); left > 0; left--) {
			const mo = drift.random.pick(mos);
			const wanted = values(drift.random, mo);
			const before = new Map(wanted.map(([name]) => [name, readValue(mo, name) ?? ""]));
			const found = drift.store.change(mo, wanted);
			if (found.size === 0) continue;
			for (const [name, value] of drift.store.change(mo, [["modTs", drift.clock.iso()]])) found.set(name, value);
			changes.push({ kind: "modified", mo, values: found, before });
		}
	}
	return changes;
}

/** Part of a class, rounded up or down by chance so that small classes change too. */
function chooseAmount(drift: DriftState, size: number, rate: number): number {
	return size === 0 ? 0 : Math.floor(size * rate + drift.random.next());
}

function addAndRemoveObjects(drift: DriftState, rate: number): Change[] {
	const changes: Change[] = [];
	for (const cls of COMING) {
		const mos = drift.store.ofClassByDn(cls);
		const count = chooseAmount(drift, mos.length, rate / 4);
		const doomed = new Set(Array.from({ length: Math.min(count, mos.length - 1) }, () => drift.random.pick(mos)));
		const models = Array.from({ length: count }, () => drift.random.pick(mos)).filter((mo) => !doomed.has(mo));
		for (const model of models)
			changes.push({ kind: "created", mo: copyObject(drift, model), values: NOTHING, before: NOTHING });
		for (const mo of doomed)
			for (const gone of drift.store.remove(mo))
				changes.push({ kind: "deleted", mo: gone, values: NOTHING, before: NOTHING });
	}
	return changes;
}

/** A sibling of an existing object with a name of its own. */
function copyObject(drift: DriftState, model: Mo): Mo {
	const number = ++drift.made;
	const cls = model.shape.cls;
	const names: Readonly<Record<string, string>> = {
		fvRsPathAtt: `topology/pod-1/paths-101/pathep-[eth9/${number}]`,
		fvCEp: `00:60:${formatHexByte(number >> 24)}:${formatHexByte(number >> 16)}:${formatHexByte(number >> 8)}:${formatHexByte(number)}`,
		fvSubnet: `192.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}/32`,
	};
	const naming = cls?.rn.props[0] ?? "";
	const value = names[cls?.name ?? ""] ?? "";
	const shape = makeShape(cls, model.shape.names, new Map());
	const own = new Map([
		[naming, value],
		["modTs", drift.clock.iso()],
		["name", cls?.name === "fvCEp" ? value : ""],
		// Its address is not known yet: the copy has no fvIp below it.
		...(cls?.name === "fvCEp" ? [["ip", "0.0.0.0"] as const] : []),
	]);
	return drift.store.add(
		model.parent,
		shape,
		cls?.rn.text.replace(`{${naming}}`, value) ?? "",
		shape.names.map((name) => own.get(name) ?? readValue(model, name) ?? ""),
	);
}

/** Of one step: a user with a session of 16 bytes, as `aaaLogin` makes them. */
function pickAuthor(drift: DriftState): Author {
	const session = Buffer.from(Array.from({ length: 16 }, () => drift.people.int(256)));
	return { user: drift.people.pick(AUTHORS), session: session.toString("base64") };
}

function advanceUptimes(drift: DriftState): Mo[] {
	const moved: Mo[] = [];
	const iso = drift.clock.iso();
	for (const mo of drift.store.ofClassByDn("topSystem")) {
		const [days = "0", ...rest] = (readValue(mo, "systemUpTime") ?? "0").split(":");
		const hours = Number(days) * 24 + Number(rest[0] ?? "0") + 1;
		const up = `${Math.floor(hours / 24)}:${String(hours % 24).padStart(2, "0")}:00:00.000`;
		if (
			drift.store.change(mo, [
				["currentTime", iso],
				["systemUpTime", up],
			]).size > 0
		)
			moved.push(mo);
	}
	for (const cls of drift.registry.concrete("statsCurr")) {
		for (const mo of drift.store.ofClassByDn(cls.name)) {
			const start = readValue(mo, "repIntvEnd") ?? iso;
			if (
				drift.store.change(mo, [
					["repIntvStart", start],
					["repIntvEnd", iso],
				]).size > 0
			)
				moved.push(mo);
		}
	}
	return moved;
}

function advanceDrift(drift: DriftState, steps: number, rate: number): DriftReport {
	const all: Change[] = [];
	const moved = new Set<Mo>();
	for (let step = 0; step < steps; step++) {
		drift.clock.forward(STEP);
		const changes = [...changeObjects(drift, rate), ...addAndRemoveObjects(drift, rate)];
		for (const mo of advanceUptimes(drift)) moved.add(mo);
		drift.audit.record(
			changes.filter(({ mo }) => mo.shape.cls?.configurable === true),
			pickAuthor(drift),
		);
		drift.feed.publish(changes);
		all.push(...changes);
	}
	return summarizeChanges(all, moved, steps, drift.clock.iso());
}

export function createDrift(
	store: Store,
	registry: Registry,
	clock: FabricClock,
	feed: ChangeFeed,
	audit: AuditLog,
	seed: number,
): Drift {
	const drift: DriftState = {
		store,
		random: createRandom(seed ^ 0xd21f7),
		clock,
		made: 0,
		people: createRandom(seed ^ 0xa11d0),
		registry,
		audit,
		feed,
	};

	return {
		advance: (steps, rate) => advanceDrift(drift, steps, rate),
	};
}

/** What the steps came to: an object that came and went again did neither. */
function summarizeChanges(changes: readonly Change[], moved: ReadonlySet<Mo>, steps: number, now: string): DriftReport {
	const first = new Map<string, Change["kind"]>();
	const last = new Map<string, Change["kind"]>();
	for (const { kind, mo } of changes) {
		const dn = getDn(mo);
		if (!first.has(dn)) first.set(dn, kind);
		last.set(dn, kind);
	}
	const pick = (test: (before: boolean, after: boolean) => boolean) =>
		[...first]
			.filter(([dn, kind]) => test(kind !== "created", last.get(dn) !== "deleted"))
			.map(([dn]) => dn)
			.sort();
	return {
		steps,
		now,
		changed: pick((before, after) => before && after),
		created: pick((before, after) => !before && after),
		deleted: pick((before, after) => before && !after),
		volatile: [...moved].map(getDn).sort(),
	};
}

function formatHexByte(number: number): string {
	return (number & 255).toString(16).padStart(2, "0").toUpperCase();
}
