/**
 * A real OpenLDAP server with a few people. Where it is not installed, tests report that and skip.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createLdapDirectory, type LdapOptions } from "../../src/integrations/ldap/ldap.ts";
import type { Directory } from "../../src/integrations/ldap/port.ts";

const PATHS = ["/usr/sbin/slapd", "/usr/libexec/slapd", "/usr/local/libexec/slapd"];
const program = PATHS.find((path) => existsSync(path));
const SCHEMAS = ["/etc/ldap/schema", "/etc/openldap/schema"].find((path) => existsSync(path));
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Why there is no server; null where there is. */
export const missing: string | null = program && SCHEMAS && hasOpenssl ? null : "slapd (and openssl) are not installed";

export const BASE = "dc=example,dc=com";
export const SERVICE = { dn: `cn=weft,${BASE}`, password: "the service's password" };
/** An account of a service whose searches end at 100 entries. */
export const LIMITED = { dn: `cn=limited,${BASE}`, password: "another service's password" };
/** Everybody's password in the directory. */
export const PASSWORD = "a directory's password";

export interface Slapd {
	readonly port: number;
	readonly ca: string;
	/** Applies LDIF (as of `ldapmodify`) with the server's own tools, while it is stopped. */
	load(ldif: string): Promise<void>;
	start(): Promise<void>;
	stop(): Promise<void>;
	remove(): Promise<void>;
}

export const buildPersonLdif = (uid: string, fields = ""): string => `dn: uid=${uid},ou=people,${BASE}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
givenName: First
mail: ${uid}@directory.example.com
userPassword: ${PASSWORD}
${fields}
`;
export const buildGroupLdif = (cn: string, ...members: string[]): string => `dn: cn=${cn},ou=groups,${BASE}
objectClass: groupOfNames
cn: ${cn}
${members.map((uid) => `member: uid=${uid},ou=people,${BASE}`).join("\n")}

`;

export const PEOPLE = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,${BASE}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${BASE}
objectClass: organizationalUnit
ou: groups

${["ada", "bea", "cal", "root", "dee"].map((uid) => buildPersonLdif(uid)).join("\n")}
dn: uid=strange (name)*,ou=people,${BASE}
objectClass: inetOrgPerson
uid: strange (name)*
cn: strange
sn: strange
userPassword: ${PASSWORD}

dn: ${LIMITED.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: limited
userPassword: ${LIMITED.password}

`;

export async function startSlapd(ldif: string): Promise<Slapd> {
	const folder = mkdtempSync(join(tmpdir(), "weft-slapd-"));
	const port = await freePort();
	const file = (name: string): string => join(folder, name);
	const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
	execFileSync(
		"openssl",
		[
			"req",
			"-x509",
			"-newkey",
			"ec",
			"-pkeyopt",
			"ec_paramgen_curve:prime256v1",
			"-nodes",
			"-days",
			"2",
			...subject,
		].concat(["-keyout", file("key.pem"), "-out", file("cert.pem")]),
		{ stdio: "ignore" },
	);
	const modules = existsSync("/usr/lib/ldap/back_mdb.so") ? "modulepath /usr/lib/ldap\nmoduleload back_mdb\n" : "";
	writeFileSync(
		file("slapd.conf"),
		`${["core", "cosine", "inetorgperson", "nis"].map((name) => `include ${SCHEMAS}/${name}.schema`).join("\n")}
${modules}pidfile ${file("slapd.pid")}
TLSCertificateFile ${file("cert.pem")}
TLSCertificateKeyFile ${file("key.pem")}
database mdb
maxsize 10485760
suffix "${BASE}"
rootdn "${SERVICE.dn}"
rootpw "${SERVICE.password}"
directory ${file("data")}
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${SERVICE.dn}" read by dn.exact="${LIMITED.dn}" read by * none
limits dn.exact="${LIMITED.dn}" size=100
`,
	);
	let server: ReturnType<typeof spawn> | null = null;

	const slapd: Slapd = {
		port,
		ca: file("cert.pem"),
		async load(text) {
			await slapd.stop();
			rmSync(file("data"), { recursive: true, force: true });
			mkdirSync(file("data"));
			execFileSync(program ?? "slapd", ["-Ta", "-f", file("slapd.conf")], { input: text });
			await slapd.start();
		},
		async start() {
			const listen = ["-h", `ldap://127.0.0.1:${port}/`];
			server = spawn(program ?? "slapd", ["-f", file("slapd.conf"), ...listen, "-d", "0"], { stdio: "ignore" });
			for (let tries = 0; !(await canConnect(port)); tries++) {
				if (tries > 200) throw new Error("slapd does not listen.");
				await new Promise((resolve) => setTimeout(resolve, 25));
			}
		},
		async stop() {
			const running = server;
			server = null;
			if (running === null) return;
			const gone = new Promise((resolve) => running.once("exit", resolve));
			running.kill("SIGTERM");
			await gone;
		},
		async remove() {
			await slapd.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
	await slapd.load(ldif);
	return slapd;
}

/** The service's adapter for the server. @param lines gets the adapter's log */
export function openTestDirectory(port: number, options: Partial<LdapOptions> = {}, lines?: string[]): Directory {
	const log = lines
		? pino({ level: "debug" }, { write: (line: string) => void lines.push(line) })
		: pino({ level: "silent" });
	return createLdapDirectory(
		{
			uri: `ldap://localhost:${port}`,
			startTls: false,
			ca: null,
			bind: SERVICE,
			userBase: `ou=people,${BASE}`,
			userFilter: "(&(objectClass=inetOrgPerson)(uid={username}))",
			groupBase: `ou=groups,${BASE}`,
			groupFilter: "(|(member={dn})(uniqueMember={dn})(memberUid={username}))",
			attributes: { username: "uid", email: "mail", first_name: "givenName", last_name: "sn" },
			...options,
		},
		log,
	);
}

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	return typeof address === "object" && address !== null ? address.port : 0;
}

const canConnect = (port: number): Promise<boolean> =>
	new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
		socket.once("connect", () => socket.destroy());
	});
