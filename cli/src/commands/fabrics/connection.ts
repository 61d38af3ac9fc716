/** `weft connection`. */
import { readFile, stat } from "node:fs/promises";
import type { ControllerConnection, TestedMember, UntrustedCertificate } from "@weft/contracts";
import { connectionRoutes } from "@weft/contracts/browser";
import { type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { assertEncrypted } from "../../encrypted-address.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { type Collection, resolveNameOrId } from "../../resolve.ts";
import { readPassword, readSecret } from "../accounts/login.ts";

const CONNECTIONS: View<ControllerConnection> = {
	name: "connections",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "url", value: ({ url }) => url },
		{ title: "username", value: ({ username }) => username },
		{ title: "active", value: ({ is_active }) => is_active },
		{ title: "tested_at", value: ({ last_tested_at }) => last_tested_at },
		{ title: "test_ok", value: ({ last_test_status }) => last_test_status },
		{ title: "id", value: ({ id }) => id },
	],
};

interface TestResult {
	readonly connection: string;
	readonly success: boolean;
	readonly message: string;
	/** Null for a test that failed. */
	readonly latency_ms: number | null;
	/** Null where the controller did not say. */
	readonly controller_version: string | null;
	/** A code such as `timeout`; null for a test that passed. */
	readonly reason: string | null;
	/** Domain and serial of node 1; null for a test that failed. */
	readonly fabric_id: string | null;
	/** The connection's addresses, and the controllers that it lacks. */
	readonly members: readonly TestedMember[];
	/** Addresses of controllers that the connection lacks. */
	readonly suggested_urls: readonly string[];
	/** Nothing was sent to their addresses. */
	readonly untrusted_certificates: readonly UntrustedCertificate[];
}
type FailedTest = Pick<TestResult, "message" | "reason"> & Partial<Pick<TestResult, "untrusted_certificates">>;

const TESTS: View<TestResult> = {
	name: "connection test",
	columns: [
		{ title: "connection", value: ({ connection }) => connection },
		{ title: "success", value: ({ success }) => success },
		{ title: "latency_ms", value: ({ latency_ms }) => latency_ms },
		{ title: "version", value: ({ controller_version }) => controller_version },
		{ title: "members", value: ({ members }) => members.map(formatMember).join(", ") },
		{ title: "suggested_urls", value: ({ suggested_urls }) => suggested_urls.join(" ") },
		{
			title: "untrusted_certificates",
			value: ({ untrusted_certificates }) => untrusted_certificates.map(({ fingerprint }) => fingerprint).join(" "),
		},
		{ title: "message", value: ({ message }) => message },
	],
	failure: ({ success, message }) => (success ? null : message),
};

const formatMember = ({ url, name, state }: TestedMember): string => `${name ?? url ?? ""} ${state}`;

export const listConnections = (client: WeftClient): Collection<ControllerConnection> => ({
	kind: "connection",
	list: () => client.each(connectionRoutes.list),
	byId: (id) => client.call(connectionRoutes.detail, { params: { id } }),
});

/** Finds the id of a connection. Returns undefined without a name. @throws CliError if unknown */
export async function findConnectionId(client: WeftClient, name: string | undefined): Promise<string | undefined> {
	return name === undefined ? undefined : (await resolveNameOrId(listConnections(client), name)).id;
}

const KEY_MAX_BYTES = 16_384;

interface AddOptions {
	readonly username?: string | undefined;
	readonly passwordStdin?: true | undefined;
	readonly certificateDn?: string | undefined;
	readonly certificateName?: string | undefined;
	readonly privateKey?: string | undefined;
	readonly passphraseStdin?: true | undefined;
	readonly alternateUrl: readonly string[];
	readonly oneFabric?: true | undefined;
	readonly description: string;
	readonly timeout?: string | undefined;
	readonly insecure?: true | undefined;
	readonly pinnedCertificate?: string | undefined;
	readonly public?: true | undefined;
}

export const registerConnection: Register = (program, run) => {
	const noun = getNoun(program, "connection", "Connections to controllers.");
	addExamples(noun, "weft connection list");
	const list = noun.command("list").description("List the connections that you can see.").action(run(showConnections));
	addExamples(list, "weft connection list", "weft connection list --format csv");
	const test = noun
		.command("test")
		.description("Sign in to controllers. Ends with 1 if a test fails.")
		.argument("<connections...>", "names or ids")
		.action(run(testAll));
	addExamples(test, "weft connection test fab-1", "weft connection test fab-1 fab-2 --format junit");
	const add = noun
		.command("add")
		.description("Store a connection.")
		.argument("<name>", "name of the connection")
		.argument("<address>", "address of the controller")
		.option(
			"--alternate-url <address>",
			"address of another member of the cluster (repeatable, up to 8)",
			(address: string, before: readonly string[]) => [...before, address],
			[],
		)
		.option(
			"--one-fabric",
			"confirm that the addresses are one fabric, for a user who may not read its identity (administrators)",
		)
		.option("--username <name>", "user on the controller")
		.option("--password-stdin", "read the controller's password from standard input")
		.option(
			"--private-key <file>",
			"sign requests with the key of a certificate, instead of a password (PEM; - for standard input)",
		)
		.option("--certificate-dn <dn>", "DN of the certificate on the controller: uni/userext/user-USER/usercert-NAME")
		.option("--certificate-name <name>", "name of the user's certificate, with --username instead of --certificate-dn")
		.option("--passphrase-stdin", "read the passphrase of an encrypted key from standard input")
		.option("--description <text>", "description", "")
		.option("--timeout <seconds>", "timeout of a request to the controller")
		.option(
			"--pinned-certificate <fingerprint>",
			"accept the certificate with this SHA-256 fingerprint from any issuer (several with commas)",
		)
		.option("--insecure", "accept every certificate of the controller, and http:// addresses of other computers")
		.option("--public", "every user may use the connection")
		.action(run(addOne));
	addExamples(
		add,
		"pass fab-1 | weft connection add fab-1 https://apic.example.com --username weft --password-stdin",
		"weft connection add fab-1 https://apic.example.com --username weft --certificate-name ci --private-key weft.key",
	);
};

async function showConnections(context: Context): Promise<void> {
	const client = await context.client();
	await context.output.list(client.each(connectionRoutes.list), CONNECTIONS);
}

async function testAll(context: Context, names: readonly string[]): Promise<void> {
	const client = await context.client();
	const connections: ControllerConnection[] = [];
	for (const name of names) connections.push(await resolveNameOrId(listConnections(client), name));
	let hasFailed = false;
	async function* testConnections() {
		for (const connection of connections) {
			context.progress(`Testing ${connection.name} …`);
			const result = await testOne(client, connection);
			hasFailed ||= !result.success;
			yield result;
		}
	}
	await context.output.list(testConnections(), TESTS);
	if (hasFailed) throw new CliError(EXIT.finding);
}

async function testOne(client: WeftClient, { id, name }: ControllerConnection): Promise<TestResult> {
	try {
		const answer = await client.call(connectionRoutes.test, { params: { id } });
		const { controller_version = null, untrusted_certificates = [] } = answer;
		return { connection: name, reason: null, ...answer, controller_version, untrusted_certificates };
	} catch (error) {
		if (!(error instanceof WeftError) || error.status !== 400) throw error;
		const { message, reason, untrusted_certificates = [] } = error.body as FailedTest;
		return {
			connection: name,
			success: false,
			message,
			latency_ms: null,
			controller_version: null,
			reason,
			fabric_id: null,
			members: [],
			suggested_urls: [],
			untrusted_certificates,
		};
	}
}

async function addOne(context: Context, name: string, address: string, options: AddOptions): Promise<void> {
	const { timeout } = options;
	if (timeout !== undefined && !/^\d{1,5}$/.test(timeout))
		throw buildInputError("--timeout: Must be a whole number of seconds.");
	assertOneLogin(options);
	const client = await context.client();
	// The secret goes to the service, which sends it to each of the controllers.
	for (const url of [client.baseUrl, address, ...options.alternateUrl])
		assertEncrypted(url, options.insecure === true, options.privateKey === undefined ? "the password" : "the key");
	const login =
		options.privateKey === undefined
			? await readPasswordLogin(context, options)
			: await readSignedLogin(context, options);
	const connection = await client.call(connectionRoutes.create, {
		body: {
			name,
			url: address,
			...(options.alternateUrl.length === 0 ? {} : { alternate_urls: [...options.alternateUrl] }),
			...(options.oneFabric === true ? { is_one_fabric_confirmed: true } : {}),
			...login,
			description: options.description,
			verify_ssl: options.insecure !== true,
			...(options.pinnedCertificate === undefined ? {} : { pinned_certificate: options.pinnedCertificate }),
			is_public: options.public === true,
			...(timeout === undefined ? {} : { timeout: Number(timeout) }),
		},
	});
	await context.output.one(connection, CONNECTIONS);
}

/** @throws CliError for options that do not belong together */
function assertOneLogin(options: AddOptions): void {
	const { username, passwordStdin, certificateDn, certificateName, privateKey, passphraseStdin } = options;
	if (privateKey === undefined) {
		if (certificateDn !== undefined || certificateName !== undefined || passphraseStdin)
			throw buildInputError("Give the key of the certificate with --private-key.");
		if (username === undefined) throw buildInputError("Give the user on the controller with --username.");
		return;
	}
	if (passwordStdin) throw buildInputError("Give either --private-key or --password-stdin.");
	if (certificateDn === undefined && (username === undefined || certificateName === undefined))
		throw buildInputError("Give the certificate with --certificate-dn, or with --username and --certificate-name.");
	if (passphraseStdin && privateKey === "-")
		throw buildInputError("Standard input has either the key or its passphrase: give a file to --private-key.");
}

async function readPasswordLogin(context: Context, { username = "", passwordStdin }: AddOptions) {
	return { username, password: await readPassword(context, passwordStdin === true, "weft connection add") };
}

async function readSignedLogin(context: Context, options: AddOptions) {
	const { username, certificateDn, certificateName, privateKey = "", passphraseStdin } = options;
	const private_key = await readKey(context, privateKey);
	// Both forms of encrypted keys say so in their first lines.
	const passphrase = /ENCRYPTED/.test(private_key)
		? await readSecret(context, {
				fromStdin: passphraseStdin === true,
				question: "Passphrase of the private key: ",
				missing: "The private key is encrypted. Pipe its passphrase into weft connection add with --passphrase-stdin.",
			})
		: undefined;
	return {
		auth_method: "certificate" as const,
		private_key,
		...(username === undefined ? {} : { username }),
		...(certificateDn === undefined ? {} : { certificate_dn: certificateDn }),
		...(certificateName === undefined ? {} : { certificate_name: certificateName }),
		...(passphrase === undefined ? {} : { private_key_passphrase: passphrase }),
	};
}

async function readKey({ input }: Context, file: string): Promise<string> {
	if (file === "-") return (await input.readAll(KEY_MAX_BYTES)).toString("utf8");
	const { size } = await stat(file);
	if (size > KEY_MAX_BYTES)
		throw buildInputError(`${file} has more than ${KEY_MAX_BYTES} bytes: it is no private key.`);
	return readFile(file, "utf8");
}
