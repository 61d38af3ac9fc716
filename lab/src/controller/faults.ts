/** Faults that the simulator shows on request: every known trap of the real controller. */
import { createRandom } from "./random.ts";

/** Options a fault takes beyond its conditions, with their values when not given. */
type FaultOptions = Readonly<Record<string, number | string>>;

export const FAULTS = {
	login_refused: {
		about: "aaaLogin answers 401",
		options: { text: "Username or password is incorrect - FAILED local authentication" },
	},
	login_throttled: { about: "aaaLogin and aaaRefresh answer nginx HTML", options: { status: 503 } },
	big_login: { about: "the login answer is 56 KB", options: {} },
	refresh_key: { about: "aaaRefresh answers under the key aaaRefresh instead of aaaLogin", options: {} },
	token_expired: { about: "403, token invalid, and the session is gone", options: {} },
	token_expired_at_page: { about: "the session ends when this page is asked for", options: { page: 1 } },
	session_revoked: { about: "401 in mid-session, and the session is gone", options: {} },
	access_denied: {
		about: "403 that is about privileges, not about the token",
		options: { text: "Access restricted for user" },
	},
	latency: { about: "answers late", options: { ms: 1000 } },
	hang: { about: "never answers", options: {} },
	reset: { about: "resets the connection instead of answering", options: {} },
	slow_body: { about: "sends the body in pieces with pauses", options: { ms: 50, pieces: 10 } },
	truncated_body: { about: "closes the connection in the middle of the body", options: {} },
	html_error: { about: "nginx HTML instead of JSON", options: { status: 503 } },
	throttle: {
		about: "nginx HTML above so many requests in a second of the clock",
		options: { per_second: 10, status: 503 },
	},
	error_with_200: {
		about: "an error object with HTTP 200",
		options: { code: 400, text: "Unable to process the query, result dataset is too big" },
	},
	error: { about: "an error object", options: { status: 400, code: 400, text: "Request failed" } },
	busy: { about: "totalCount above zero with an empty imdata", options: {} },
	resolve_timeout: { about: "503 Resolve timeout, after a while", options: { ms: 0 } },
	too_big: { about: "400 result dataset is too big", options: {} },
	mo_count_wrong: { about: "moCount is not the number of objects", options: { factor: 0.5 } },
	no_total_count: { about: "totalCount is missing", options: {} },
	down: { about: "this member refuses connections, and the others see it as unavailable", options: {} },
	partial_cluster: {
		about: "a part of the objects is missing: the member has lost its peers, and its own view says so",
		options: { part: 0.3 },
	},
	standby: { about: "the member is a standby and does not serve the model", options: {} },
	half_upgraded: { about: "the member runs another version than the others", options: { version: "6.1(1f)" } },
	other_fabric: {
		about: "the member belongs to another fabric",
		options: { domain: "other-fabric", serial: "FDO29999991" },
	},
	unknown_literal: { about: "any filter value is refused with 301", options: {} },
	new_attribute: {
		about: "every object has an attribute more, as after an upgrade",
		options: { name: "weftLabAttr", value: "" },
	},
	clock_skew: { about: "the clock of its answers and records is ahead, or behind", options: { ms: 60_000 } },
	audit_rotation: { about: "the audit log keeps the newest `keep` records", options: { keep: 100 } },
	stable_order: { about: "not a fault: without order-by objects come as stored", options: {} },
	required_after_count: { about: "totalCount counts results that `required` then drops", options: {} },
} as const satisfies Readonly<Record<string, { readonly about: string; readonly options: FaultOptions }>>;

export type FaultName = keyof typeof FAULTS;

/** All conditions must hold for a fault to show. */
export interface FaultSetting {
	/** `false` takes the fault away. */
	readonly on?: boolean;
	/** Show it so many times, then no more. */
	readonly count?: number;
	/** Show it in this part of the cases, 0…1. */
	readonly rate?: number;
	/** Only for requests whose path and query match this regular expression. */
	readonly match?: string;
	readonly [option: string]: unknown;
}

export type FaultSettings = { readonly [name in FaultName]?: FaultSetting | boolean };

/** Faults by name, with what they are about and their options. */
export type FaultTable<Name extends string> = Readonly<
	Record<Name, { readonly about: string; readonly options: FaultOptions }>
>;

export interface Faults<Name extends string = FaultName> {
	/** @throws FaultError that names an unknown fault or option, or an invalid value */
	set(settings: Readonly<Record<string, unknown>>): void;
	clear(): void;
	/** Active faults, their conditions, and how often they still apply. */
	list(): Record<string, Record<string, unknown>>;
	/**
	 * The fault's options when it shows for this request (and one is used up), else `null`.
	 * @param when a condition of the fault's own, asked last
	 */
	fire(name: Name, target: string, when?: (options: FiredOptions) => boolean): FiredOptions | null;
	/** Like `fire`, for switches that concern no single request: nothing is used up. */
	isOn(name: Name): boolean;
	/** The options of a switch; `null` while it is off. */
	getSetting(name: Name): FiredOptions | null;
	/** How often each fault has shown. */
	fired(): Record<string, number>;
}

type FiredOptions = Readonly<Record<string, number | string>>;

export class FaultError extends Error {}

interface Rule {
	left: number;
	readonly rate: number;
	readonly match: RegExp | null;
	readonly options: Record<string, number | string>;
}

const CONDITIONS: ReadonlySet<string> = new Set(["on", "count", "rate", "match"]);

/** @param known the faults there are; the controller's where none are given */
export function createFaults(seed: number): Faults;
export function createFaults<Name extends string>(seed: number, known: FaultTable<Name>): Faults<Name>;
export function createFaults(seed: number, known: FaultTable<string> = FAULTS): Faults<string> {
	const rules = new Map<string, Rule>();
	const fired = new Map<string, number>();
	let random = createRandom(seed ^ 0xfa017);

	return {
		set(settings) {
			const made = Object.entries(settings).map(
				([name, setting]) => [name, readRule(name, setting, getOptions(name, known))] as const,
			);
			for (const [name, rule] of made) {
				if (rule === null) rules.delete(name);
				else rules.set(name, rule);
			}
		},
		clear() {
			rules.clear();
			fired.clear();
			random = createRandom(seed ^ 0xfa017);
		},
		list: () =>
			Object.fromEntries(
				[...rules].map(([name, rule]) => [
					name,
					{
						on: true,
						...(Number.isFinite(rule.left) ? { count: rule.left } : {}),
						...(rule.rate < 1 ? { rate: rule.rate } : {}),
						...(rule.match === null ? {} : { match: rule.match.source }),
						...rule.options,
					},
				]),
			),
		fire(name, target, when = () => true) {
			const rule = rules.get(name);
			if (rule === undefined || rule.left < 1) return null;
			if (rule.match !== null && !rule.match.test(target)) return null;
			if (!when(rule.options)) return null;
			if (rule.rate < 1 && random.next() >= rule.rate) return null;
			rule.left--;
			if (rule.left < 1) rules.delete(name);
			fired.set(name, (fired.get(name) ?? 0) + 1);
			return rule.options;
		},
		isOn: (name) => rules.has(name),
		getSetting: (name) => rules.get(name)?.options ?? null,
		fired: () => Object.fromEntries(fired),
	};
}

function getOptions(name: string, table: FaultTable<string>): FaultOptions {
	const fault = Object.hasOwn(table, name) ? table[name] : undefined;
	if (fault === undefined)
		throw new FaultError(`no fault is called ${name}; known are ${Object.keys(table).join(", ")}`);
	return fault.options;
}

function readRule(name: string, setting: unknown, known: FaultOptions): Rule | null {
	if (setting === false) return null;
	const given = setting === true ? {} : setting;
	if (typeof given !== "object" || given === null || Array.isArray(given))
		throw new FaultError(`${name}: expected true, false or an object`);
	const entries = new Map<string, unknown>(Object.entries(given));
	if (entries.get("on") === false) return null;
	const options: Record<string, number | string> = { ...known };
	for (const [key, value] of entries) {
		if (CONDITIONS.has(key)) continue;
		const initial = known[key];
		if (initial === undefined)
			throw new FaultError(
				`${name}: no option is called ${key}; known are ${[...CONDITIONS, ...Object.keys(known)].join(", ")}`,
			);
		if (typeof value !== typeof initial || !(typeof value === "string" || typeof value === "number"))
			throw new FaultError(`${name}.${key}: expected a ${typeof initial}`);
		options[key] = value;
	}
	return {
		left: readCount(name, entries.get("count")),
		rate: readRate(name, entries.get("rate")),
		match: readMatch(name, entries.get("match")),
		options,
	};
}

function readCount(name: string, value: unknown): number {
	if (value === undefined) return Number.POSITIVE_INFINITY;
	if (typeof value !== "number" || !Number.isInteger(value) || value < 1)
		throw new FaultError(`${name}.count: expected a whole number above 0`);
	return value;
}

function readRate(name: string, value: unknown): number {
	if (value === undefined) return 1;
	if (typeof value !== "number" || !(value > 0 && value <= 1))
		throw new FaultError(`${name}.rate: expected a number above 0 and up to 1`);
	return value;
}

function readMatch(name: string, value: unknown): RegExp | null {
	if (value === undefined) return null;
	if (typeof value !== "string") throw new FaultError(`${name}.match: expected a regular expression`);
	try {
		return new RegExp(value);
	} catch {
		throw new FaultError(`${name}.match: ${value} is not a regular expression`);
	}
}
