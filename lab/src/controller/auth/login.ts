/** aaaLogin, aaaRefresh, aaaLogout and aaaListDomains. */
import { ApiError, buildTokenInvalidError, loginRefused } from "../errors.ts";
import type { TreeNode } from "../tree.ts";
import type { Session, Sessions, SessionTimes } from "./sessions.ts";

export interface User {
	readonly name: string;
	readonly password: string;
	/** A refusal text instead of a session: must change the password, locked out, inactive. */
	readonly refused?: string;
}

export interface LoginOptions {
	readonly users: readonly User[];
	/** Names that may stand in `apic:NAME\user`. */
	readonly domains: readonly string[];
	readonly times: SessionTimes;
	readonly version: () => string;
	/** DN of the member that answers. */
	readonly node: string;
	readonly tenants: () => readonly string[];
	readonly sessions: Sessions;
}

export interface LoginAnswer {
	readonly session: Session;
	readonly token: string;
	readonly node: TreeNode;
}

/** Length of a real answer for a user with many security domains, in bytes. */
const BIG_ANSWER = 56_000;
const BUILT = "Sat Oct 04 12:00:00 UTC 2025";

export function createLogin({ users, domains, times, version, node, tenants, sessions }: LoginOptions) {
	function describeSession(session: Session, token: string, big: boolean): TreeNode["attributes"] {
		const seconds = String(Math.floor(session.createdAt / 1000));
		return {
			token,
			siteFingerprint: "weftlab0weftlab0weftlab0weftlab0",
			...(session.urlToken === null ? {} : { urlToken: session.urlToken }),
			refreshTimeoutSeconds: String(times.refreshTimeoutSeconds),
			maximumLifetimeSeconds: String(times.maximumLifetimeSeconds),
			guiIdleTimeoutSeconds: "1200",
			restTimeoutSeconds: "90",
			creationTime: seconds,
			firstLoginTime: seconds,
			userName: session.user,
			remoteUser: "false",
			unixUserId: "15374",
			sessionId: session.id,
			lastName: "",
			firstName: "",
			changePassword: "no",
			version: version(),
			buildTime: BUILT,
			node,
			...(big ? { userDescr: "many security domains" } : {}),
		};
	}

	return {
		/** @throws ApiError 401 */
		login(name: string, password: string, withUrlToken: boolean, big: boolean): LoginAnswer {
			const { domain, user } = splitName(name);
			if (domain !== null && !domains.includes(domain))
				throw new ApiError(
					401,
					`Username or password is incorrect - FAILED login domain ${domain} has no server group`,
				);
			const found = users.find((candidate) => candidate.name === user && candidate.password === password);
			if (found === undefined) throw loginRefused();
			if (found.refused !== undefined) throw new ApiError(401, found.refused);
			const { session, token } = sessions.open(user, withUrlToken);
			return { session, token, node: loginNode(describeSession(session, token, big), tenants(), big) };
		},
		/** @throws ApiError 403 after the maximum lifetime */
		refresh(session: Session, cls: string): { readonly token: string; readonly node: TreeNode } {
			const token = sessions.refresh(session);
			if (token === undefined) throw buildTokenInvalidError();
			return {
				token,
				node: { cls, attributes: describeSession(session, token, false), children: [splitUserDomain()] },
			};
		},
		/** Not in the shape of objects: name and type stand in the item itself. */
		listDomains(): Readonly<Record<string, string>>[] {
			return domains.map((name) =>
				name === "fallback" ? { name, type: "local", guiBanner: "" } : { name, type: "DefaultAuth" },
			);
		},
	};
}

/** `admin`, `apic:DOMAIN\admin`, or `apic#DOMAIN\admin` as the command line tools write it. */
function splitName(name: string): { readonly domain: string | null; readonly user: string } {
	const found = /^apic[:#]([^\\]+)\\{1,2}(.+)$/.exec(name);
	return found === null ? { domain: null, user: name } : { domain: found[1] ?? "", user: found[2] ?? "" };
}

function splitUserDomain(): TreeNode {
	const role: TreeNode = { cls: "role", attributes: { name: "admin" } };
	return {
		cls: "aaaUserDomain",
		attributes: { name: "all", rolesR: "admin", rolesW: "admin" },
		children: [
			{ cls: "aaaReadRoles", attributes: {} },
			{ cls: "aaaWriteRoles", attributes: {}, children: [role] },
		],
	};
}

function loginNode(attributes: TreeNode["attributes"], tenants: readonly string[], big: boolean): TreeNode {
	const privileges = { readPrivileges: "admin", writePrivileges: "admin" };
	const entries: TreeNode[] = tenants
		.slice(0, 20)
		.map((dn) => ({ cls: "DnDomainMapEntry", attributes: { dn, ...privileges } }));
	const roles =
		"aaa,access-connectivity-l1,access-connectivity-l2,fabric-connectivity-l1,fabric-connectivity-l2,tenant-connectivity-l2,tenant-epg,tenant-security";
	for (let length = 0, at = 0; big && length < BIG_ANSWER; at++, length += 420) {
		entries.push({
			cls: "DnDomainMapEntry",
			attributes: { dn: `uni/tn-domain-${at}`, readPrivileges: roles, writePrivileges: roles },
		});
	}
	return { cls: "aaaLogin", attributes, children: [splitUserDomain(), ...entries] };
}
