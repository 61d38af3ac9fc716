/**
 * A directory over LDAP: finds the entry with the service's account, then binds as that entry with
 * the entered password.
 */
import { connect as connectSocket } from "node:net";
import { Client, type Entry, ResultCodeError, SizeLimitExceededError } from "ldapts";
import type { Log } from "../../core/ports/log.ts";
import { buildFilter, escapeFilter } from "./filter.ts";
import {
	type Directory,
	type DirectoryGroup,
	type DirectoryPerson,
	DirectoryUnavailable,
	type FoundPeople,
} from "./port.ts";

export interface LdapOptions {
	/** `ldap://host:389` or `ldaps://host:636`. */
	readonly uri: string;
	readonly startTls: boolean;
	/** The certificates to trust, PEM; null: the system's. */
	readonly ca: string | null;
	/** The service's account; null: anonymous. */
	readonly bind: { readonly dn: string; readonly password: string } | null;
	readonly userBase: string;
	/** Contains `{username}` for the entered username. */
	readonly userFilter: string;
	/** Null: groups are not read. */
	readonly groupBase: string | null;
	/** With `{dn}` and `{username}`. */
	readonly groupFilter: string;
	/** The directory's attribute names. */
	readonly attributes: Readonly<Record<"username" | "email" | "first_name" | "last_name", string>>;
}

const TIMEOUT_MS = 5_000;
/** Upper bound of one sign-in, also while TLS is negotiated, which has no other timeout. */
const SIGN_IN_MS = 9_000;
/** No further person is looked up after this time. */
const LOOKUP_MS = 30_000;
/** Entries of one page of a search. Active Directory refuses more than 1,000. */
const PAGE_SIZE = 500;
/** LDAP result codes that say "not now" rather than "no" (RFC 4511, section 4.1.9). */
const NOT_NOW = new Set([51, 52]);

/** A directory's settings, and those of its connections. */
interface DirectoryState {
	readonly options: LdapOptions;
	readonly log: Log;
	readonly tls: { ca?: string; host: string; minVersion: "TLSv1.2" };
	/** The configured filter for any person, whatever their name is. */
	readonly anyPerson: string;
}

/**
 * One connection per sign-in. The client must not reconnect by itself: the new connection would
 * lack TLS.
 */
function createClient(directory: DirectoryState): Client {
	let made = false;
	return new Client({
		url: directory.options.uri,
		timeout: TIMEOUT_MS,
		connectTimeout: TIMEOUT_MS,
		strictDN: false,
		...(directory.options.uri.startsWith("ldaps:") ? { tlsOptions: directory.tls } : {}),
		createConnection: ((port: number, to: string) => {
			if (made) throw new DirectoryUnavailable("The directory closed the connection.");
			made = true;
			return connectSocket(port, to);
		}) as typeof connectSocket,
	});
}

async function bindService(directory: DirectoryState, client: Client): Promise<void> {
	await client.bind(directory.options.bind?.dn ?? "", directory.options.bind?.password ?? "");
}

async function findPerson(directory: DirectoryState, client: Client, username: string): Promise<Entry | null> {
	const { searchEntries } = await client
		.search(directory.options.userBase, {
			scope: "sub" as const,
			sizeLimit: 2,
			timeLimit: TIMEOUT_MS / 1000,
			filter: buildFilter(directory.options.userFilter, { username }),
			attributes: Object.values(directory.options.attributes),
		})
		.catch((error: unknown) => {
			if (error instanceof SizeLimitExceededError) return { searchEntries: [] };
			throw error;
		});
	const [entry, ...others] = searchEntries;
	return entry === undefined || others.length > 0 ? null : entry;
}

/** Whether the directory accepts the password of an entry. */
async function acceptsPassword(client: Client, dn: string, password: string): Promise<boolean> {
	try {
		await client.bind(dn, password);
		return true;
	} catch (error) {
		if (error instanceof ResultCodeError && !NOT_NOW.has(error.code)) return false;
		throw error;
	}
}

/**
 * All groups of an entry, or null if the search fails. The search has no size limit: the client
 * reports no error for a result that ends at a limit of its own.
 */
async function findGroups(
	directory: DirectoryState,
	client: Client,
	dn: string,
	username: string,
): Promise<DirectoryGroup[] | null> {
	if (directory.options.groupBase === null) return null;
	try {
		const { searchEntries } = await client.search(directory.options.groupBase, {
			scope: "sub" as const,
			paged: { pageSize: PAGE_SIZE },
			timeLimit: TIMEOUT_MS / 1000,
			filter: buildFilter(directory.options.groupFilter, { dn, username }),
			attributes: ["cn"],
		});
		return searchEntries.map((entry) => ({ dn: entry.dn, name: getText(entry, "cn") }));
	} catch (error) {
		directory.log.warn({ reason: describeReason(error) }, "the directory's search for groups failed");
		return null;
	}
}

async function authenticatePerson(
	directory: DirectoryState,
	client: Client,
	username: string,
	password: string,
): Promise<DirectoryPerson | null> {
	if (directory.options.startTls) await client.startTLS({ ...directory.tls });
	await bindService(directory, client);
	const entry = await findPerson(directory, client, username);
	// An unknown username takes as long as a wrong password.
	const right = await acceptsPassword(client, entry?.dn ?? `cn=nobody,${directory.options.userBase}`, password);
	if (entry === null || !right) return null;
	const name = getText(entry, directory.options.attributes.username);
	await bindService(directory, client);
	return {
		username: name,
		email: getText(entry, directory.options.attributes.email),
		first_name: getText(entry, directory.options.attributes.first_name),
		last_name: getText(entry, directory.options.attributes.last_name),
		groups: await findGroups(directory, client, entry.dn, name),
	};
}

/** Whether an entry matches. A result that is cut at the limit of one entry has matched. */
async function hasEntry(directory: DirectoryState, client: Client, filter: string): Promise<boolean> {
	try {
		const { searchEntries } = await client.search(directory.options.userBase, {
			scope: "sub" as const,
			sizeLimit: 1,
			timeLimit: TIMEOUT_MS / 1000,
			filter,
			attributes: [directory.options.attributes.username],
		});
		return searchEntries.length > 0;
	} catch (error) {
		if (error instanceof SizeLimitExceededError) return true;
		throw error;
	}
}

/**
 * A filter for a stored username. The configured one may compare what people type with another
 * attribute, such as `mail`: then the name's own attribute decides, within the same people.
 */
function formatPersonFilter({ options, anyPerson }: DirectoryState, username: string): string {
	const own = `(${options.attributes.username}=${escapeFilter(username)})`;
	return `(|${buildFilter(options.userFilter, { username })}(&${own}${anyPerson}))`;
}

async function findPeople(
	directory: DirectoryState,
	client: Client,
	usernames: readonly string[],
): Promise<FoundPeople> {
	if (directory.options.startTls) await client.startTLS({ ...directory.tls });
	await bindService(directory, client);
	// Without the right to read, a search succeeds and finds nobody.
	if (!(await hasEntry(directory, client, `(&(${directory.options.attributes.username}=*)${directory.anyPerson})`)))
		throw new Error("The search for people finds nobody. Check WEFT_LDAP_USER_BASE and the service account's rights.");
	const [present, absent]: [string[], string[]] = [[], []];
	const end = performance.now() + LOOKUP_MS;
	for (const username of usernames) {
		if (performance.now() > end) break;
		try {
			((await hasEntry(directory, client, formatPersonFilter(directory, username))) ? present : absent).push(username);
		} catch (error) {
			directory.log.warn({ reason: describeReason(error) }, "the directory's search for a person failed");
		}
	}
	return { present, absent };
}

/** Opens a connection for `work`. @throws DirectoryUnavailable also if `work` takes longer */
async function connectClient<T>(
	directory: DirectoryState,
	limitMs: number,
	work: (client: Client) => Promise<T>,
): Promise<T> {
	const client = createClient(directory);
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_resolve, reject) => {
		timer = setTimeout(() => reject(new Error(`No answer within ${limitMs} ms.`)), limitMs);
	});
	try {
		return await Promise.race([work(client), late]);
	} catch (error) {
		directory.log.warn({ reason: describeReason(error) }, "the directory could not be reached");
		throw new DirectoryUnavailable("The directory could not be asked.");
	} finally {
		clearTimeout(timer);
		await client.unbind().catch(() => {});
	}
}

async function authenticateLogged(
	directory: DirectoryState,
	username: string,
	password: string,
): Promise<DirectoryPerson | null> {
	// A bind with a name and no password is an anonymous one, which succeeds (RFC 4513, section
	// 5.1.2).
	if (password === "" || username === "") return null;
	return connectClient(directory, SIGN_IN_MS, (client) => authenticatePerson(directory, client, username, password));
}

export function createLdapDirectory(options: LdapOptions, log: Log): Directory {
	const { uri, ca, userFilter } = options;
	const host = new URL(uri).hostname.replace(/^\[|\]$/g, "");
	const directory: DirectoryState = {
		options,
		log,
		tls: { host, minVersion: "TLSv1.2" as const, ...(ca === null ? {} : { ca }) },
		anyPerson: userFilter.replaceAll("{username}", "*").replace(/\*{2,}/g, "*"),
	};

	return {
		authenticate: (username, password) => authenticateLogged(directory, username, password),
		findPeople: (usernames) =>
			connectClient(directory, LOOKUP_MS + SIGN_IN_MS, (client) => findPeople(directory, client, usernames)),
	};
}

const describeReason = (error: unknown): string =>
	`${(error as Error).name}: ${(error as Error).message}`.slice(0, 300);

/** The first value of an attribute, whose name may come back in another case. */
function getText(entry: Entry, attribute: string): string {
	const found = Object.entries(entry).find(([name]) => name.toLowerCase() === attribute.toLowerCase())?.[1];
	const value = Array.isArray(found) ? found[0] : found;
	return value === undefined ? "" : value.toString();
}
