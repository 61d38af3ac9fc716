/** The service's settings: the only reader of the environment. Reports all errors at once. */
import { resolve } from "node:path";
import { MFA_REQUIREMENTS, type MfaRequirement } from "./areas/accounts/sign-in/rules/restriction.ts";
import { readSecretFiles } from "./config-files.ts";
import { type LdapConfig, readLdap } from "./config-ldap.ts";
import { type ModelConfig, readModelConfig } from "./config-model.ts";
import { type OidcConfig, readOidc } from "./config-oidc.ts";
import {
	readMailDomains,
	readOutgoingNetworks,
	readOutgoingProxy,
	readTrustedProxies,
	readWebhookTargets,
} from "./config-targets.ts";
import { DEFAULT_RATES, type Rate, type Rates } from "./core/http/throttle.ts";
import type { OutgoingNetworks } from "./core/system/outgoing.ts";
import type { OutgoingProxy } from "./core/system/outgoing-proxy.ts";
import type { TrustedProxiesSetting } from "./core/system/trusted-proxies.ts";
import type { WebhookTargets } from "./integrations/webhooks/targets.ts";
import type { ServiceSettings } from "./service-settings.ts";
import { rateSetting, SETTING_NAMES } from "./settings.ts";

export interface Config extends ServiceSettings {
	readonly host: string;
	readonly port: number;
	/** Folder of the embedded store, the secret key and other files of the service. */
	readonly dataDir: string;
	/** PostgreSQL address; null: the embedded store. */
	readonly databaseUrl: string | null;
	readonly databasePool: number;
	/** Redis or Valkey address; null: in process. */
	readonly redisUrl: string | null;
	readonly roles: ReadonlySet<Role>;
	/**
	 * Keys for stored secrets and tokens, the current one first; empty: the key file in the data
	 * folder.
	 */
	readonly secretKeys: readonly string[];
	readonly admin: { readonly username: string; readonly password: string | null };
	/** Where a proxy publishes the service, with a slash at both ends. */
	readonly basePath: string;
	/** The mail server and the sender's address; null: no mail is sent. */
	readonly smtp: { readonly url: string; readonly from: string } | null;
	/** The directory to sign in with; null: none. */
	readonly ldap: LdapConfig | null;
	/** The identity provider to sign in at; null: none. */
	readonly oidc: OidcConfig | null;
	/** Addresses that users' webhooks may lead to; null: users have none. */
	readonly webhookTargets: WebhookTargets | null;
	/** Addresses that connections to controllers and to automation servers may lead to. */
	readonly controllerTargets: OutgoingNetworks;
	readonly automationTargets: OutgoingNetworks;
	/** The web proxy to webhooks, the identity provider and the model source; null: none. */
	readonly outgoingProxy: OutgoingProxy | null;
	readonly model: ModelConfig;
	readonly trustedProxies: TrustedProxiesSetting;
	readonly rates: Rates;
	/**
	 * How Prometheus reads: with a token on the service's port, on a port of its own, or both; null:
	 * not at all.
	 */
	readonly metrics: { readonly token: string | null; readonly port: number | null } | null;
	readonly docs: boolean;
	readonly logLevel: LogLevel;
	/** Days for which the results of runs are kept. */
	readonly resultDays: number;
	/** Retention of the feed of changes, in days. */
	readonly changesDays: number;
	/**
	 * Secrets of the receiver of automation servers' notifications, the current one first; none:
	 * nothing is received.
	 */
	readonly webhookSecrets: readonly string[];
	/** Automation jobs of all users that may be open at the same time. */
	readonly automationRunningMax: number;
	/** Variables that begin like settings and are none: most likely misspelt. */
	readonly unknown: readonly string[];
}

type Role = "web" | "worker";
const ROLES: readonly Role[] = ["web", "worker"];
const MIN_KEY = 16;
const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
	override readonly name = "ConfigError";
	constructor(errors: readonly string[]) {
		super(`The configuration is not valid:\n${errors.map((error) => `  - ${error}`).join("\n")}`);
	}
}

/** Reads all settings. @throws ConfigError naming every wrong variable and its remedy. */
export function readConfig(given: Environment): Config {
	const errors: string[] = [];
	const environment = readSecretFiles(given, errors);
	const value = (name: string): string | null => environment[name]?.trim() || null;

	function readInteger(name: string, fallback: number, min: number, max: number): number {
		const text = value(name);
		if (text === null) return fallback;
		const number = Number(text);
		if (/^\d+$/.test(text) && number >= min && number <= max) return number;
		errors.push(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
		return fallback;
	}

	function readChoice<const T extends string>(name: string, allowed: readonly T[], fallback: T): T {
		const text = value(name);
		if (text === null) return fallback;
		const found = allowed.find((item) => item === text);
		if (found === undefined) errors.push(`${name} must be one of ${allowed.join(", ")}, not "${text}".`);
		return found ?? fallback;
	}

	/** The value is never repeated: it may hold a password. */
	function readAddress(name: string, protocols: readonly string[]): string | null {
		const text = value(name);
		if (text === null) return null;
		const url = URL.canParse(text) ? new URL(text) : null;
		if (url !== null && protocols.includes(url.protocol)) return text;
		errors.push(`${name} must be an address that starts with ${protocols.map((p) => `${p}//`).join(" or ")}.`);
		return null;
	}

	const frontendUrl = (readAddress("WEFT_FRONTEND_URL", ["http:", "https:"]) ?? "").replace(/\/+$/, "");
	const databaseUrl = readAddress("WEFT_DATABASE_URL", ["postgres:", "postgresql:"]);
	const config: Config = {
		host: value("WEFT_HOST") ?? "127.0.0.1",
		port: readInteger("WEFT_PORT", 8080, 0, 65_535),
		dataDir: resolve(value("WEFT_DATA_DIR") ?? "data"),
		databaseUrl,
		databasePool: readInteger("WEFT_DATABASE_POOL", 20, 1, 1000),
		redisUrl: readAddress("WEFT_REDIS_URL", ["redis:", "rediss:"]),
		roles: readRoles(value("WEFT_ROLES"), errors),
		secretKeys: readKeys(value("WEFT_SECRET_KEY"), databaseUrl !== null, errors),
		admin: readAdmin(value("WEFT_ADMIN_USERNAME"), environment.WEFT_ADMIN_PASSWORD || null, errors),
		frontendUrl,
		tokenMaxDays: readInteger("WEFT_TOKEN_MAX_DAYS", 0, 1, 36_500) || null,
		accountRecheckDays: readInteger("WEFT_ACCOUNT_RECHECK_DAYS", 0, 1, 3650) || null,
		requireMfa: readMfaRequirements(value("WEFT_REQUIRE_MFA"), errors),
		basePath: readBasePath(value("WEFT_BASE_PATH"), errors),
		smtp: readSmtp(readAddress("WEFT_SMTP_URL", ["smtp:", "smtps:"]), value("WEFT_SMTP_FROM"), errors),
		ldap: readLdap((name) => value(`WEFT_LDAP_${name}`), errors),
		oidc: readOidc((name) => value(`WEFT_OIDC_${name}`), frontendUrl, errors),
		mailDomains: readMailDomains(value("WEFT_MAIL_DOMAINS"), errors),
		webhookTargets: readWebhookTargets(value("WEFT_WEBHOOK_TARGETS"), errors),
		controllerTargets: readOutgoingNetworks("WEFT_CONTROLLER_TARGETS", value, errors),
		automationTargets: readOutgoingNetworks("WEFT_AUTOMATION_TARGETS", value, errors),
		outgoingProxy: readOutgoingProxy(value, errors),
		model: readModelConfig(
			value,
			readAddress("WEFT_MODEL_SOURCE_URL", ["http:", "https:"]),
			readInteger("WEFT_MODEL_CONCURRENCY", 4, 1, 10),
			errors,
		),
		trustedProxies: readTrustedProxies(value("WEFT_TRUSTED_PROXIES"), errors),
		rates: readRates(environment, errors),
		metrics: readMetrics(value("WEFT_METRICS_TOKEN"), readInteger("WEFT_METRICS_PORT", -1, 0, 65_535), errors),
		docs: readChoice("WEFT_DOCS", ["on", "off"], "on") === "on",
		logLevel: readChoice("WEFT_LOG_LEVEL", LOG_LEVELS, "info"),
		resultDays: readInteger("WEFT_RESULT_DAYS", 7, 1, 3650),
		changesDays: readInteger("WEFT_CHANGES_DAYS", 90, 1, 3650),
		webhookSecrets: readWebhookSecrets(value("WEFT_AUTOMATION_WEBHOOK_SECRET"), errors),
		automationRunningMax: readInteger("WEFT_AUTOMATION_RUNNING_MAX", 500, 1, 100_000),
		unknown: Object.keys(environment).filter((name) => name.startsWith("WEFT_") && !SETTING_NAMES.has(name)),
	};
	if (errors.length > 0) throw new ConfigError(errors);
	return config;
}

const SCOPES = Object.keys(DEFAULT_RATES) as (keyof Rates)[];

function readRoles(text: string | null, errors: string[]): ReadonlySet<Role> {
	const roles = (text ?? ROLES.join(",")).split(",").map((role) => role.trim());
	const wrong = roles.filter((role) => !(ROLES as readonly string[]).includes(role));
	if (wrong.length > 0) errors.push(`WEFT_ROLES must be web, worker or web,worker, not "${text}".`);
	return new Set(roles as Role[]);
}

function readMfaRequirements(text: string | null, errors: string[]): ReadonlySet<MfaRequirement> {
	const names = (text ?? "").split(",").flatMap((name) => name.trim() || []);
	const known = MFA_REQUIREMENTS.filter((name) => names.includes(name));
	if (names.some((name) => !known.includes(name as MfaRequirement)))
		errors.push(`WEFT_REQUIRE_MFA must be ${MFA_REQUIREMENTS.join(", ")}, or several with commas, not "${text}".`);
	return new Set(known);
}

function readKeys(text: string | null, external: boolean, errors: string[]): string[] {
	const keys = (text ?? "").split(",").filter((key) => key !== "");
	if (external && keys.length === 0) {
		errors.push(
			"WEFT_SECRET_KEY is needed with WEFT_DATABASE_URL: at least 32 random characters, the same for every process.",
		);
	}
	if (keys.some((key) => key.length < MIN_KEY))
		errors.push(
			`WEFT_SECRET_KEY must have at least ${MIN_KEY} characters (several keys: commas between them, the current one first).`,
		);
	return keys;
}

/** The secret travels as it is and can be replayed: a short one would be guessed. */
const MIN_WEBHOOK_SECRET = 32;

function readWebhookSecrets(text: string | null, errors: string[]): string[] {
	const secrets = (text ?? "").split(",").filter((secret) => secret !== "");
	if (secrets.some((secret) => secret.length < MIN_WEBHOOK_SECRET || !/^[\x21-\x7e]+$/.test(secret))) {
		errors.push(
			`WEFT_AUTOMATION_WEBHOOK_SECRET must have at least ${MIN_WEBHOOK_SECRET} printable characters ` +
				"without spaces (while it is being changed: both, a comma between them, the new one first).",
		);
	}
	return secrets;
}

function readAdmin(username: string | null, password: string | null, errors: string[]): Config["admin"] {
	if (username !== null && !/^[\w.@+-]{3,150}$/.test(username)) {
		errors.push("WEFT_ADMIN_USERNAME must have 3 to 150 letters, digits and . @ + - _");
	}
	if (password !== null && (password.length < 8 || password.length > 256)) {
		errors.push("WEFT_ADMIN_PASSWORD must have 8 to 256 characters.");
	}
	return { username: username ?? "admin", password };
}

function readBasePath(text: string | null, errors: string[]): string {
	const path = `/${text ?? ""}/`.replace(/\/{2,}/g, "/");
	if (/^\/([\w.~-]+\/)*$/.test(path) && !/^\/(api|ws|assets)\//.test(path)) return path;
	errors.push(
		`WEFT_BASE_PATH must be a path such as /weft/ that begins with none of api, ws and assets, not "${text}".`,
	);
	return "/";
}

function readSmtp(url: string | null, from: string | null, errors: string[]): Config["smtp"] {
	if (from !== null && !/^[^\s@<>]+@[^\s@<>]+$/.test(from)) errors.push("WEFT_SMTP_FROM must be an email address.");
	if (url === null) return null;
	if (from === null) errors.push("WEFT_SMTP_FROM is needed with WEFT_SMTP_URL: the address that mail comes from.");
	return { url, from: from ?? "" };
}

function readMetrics(token: string | null, port: number, errors: string[]): Config["metrics"] {
	if (token !== null && token.length < MIN_KEY)
		errors.push(`WEFT_METRICS_TOKEN must have at least ${MIN_KEY} characters.`);
	return token === null && port < 0 ? null : { token, port: port < 0 ? null : port };
}

const WINDOWS: Record<string, number> = {
	s: 1_000,
	sec: 1_000,
	min: 60_000,
	m: 60_000,
	h: 3_600_000,
	hour: 3_600_000,
	d: 86_400_000,
	day: 86_400_000,
};

function readRates(environment: Environment, errors: string[]): Rates {
	const all = environment.WEFT_THROTTLE?.trim() || "on";
	if (all !== "on" && all !== "off") errors.push(`WEFT_THROTTLE must be on or off, not "${all}".`);
	const rates: Record<string, Rate | null> = {};
	for (const scope of SCOPES) {
		const name = rateSetting(scope);
		const text = environment[name]?.trim();
		rates[scope] = all === "off" ? null : DEFAULT_RATES[scope];
		if (!text) continue;
		const match = /^(\d{1,9})\/(\w+)$/.exec(text);
		const windowMs = WINDOWS[match?.[2] ?? ""];
		if (text === "off") rates[scope] = null;
		else if (match && windowMs !== undefined && Number(match[1]) > 0)
			rates[scope] = { requests: Number(match[1]), windowMs };
		else errors.push(`${name} must look like 300/min (s, min, h or day) or be off, not "${text}".`);
	}
	return rates as Rates;
}
