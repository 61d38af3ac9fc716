/**
 * The connection test: one login or signed read on its own socket, with a message that says where
 * to look.
 */

import { readCertificate } from "../../core/system/certificates.ts";
import type { Outcome } from "./answer.ts";
import { type ClusterFacts, describeUnreadable } from "./cluster/facts.ts";
import { readFacts } from "./cluster/reads.ts";
import {
	findExpectedFabric,
	listForeignMembers,
	listSuggestedUrls,
	listTestedMembers,
	type TestedAddress,
} from "./cluster/tested.ts";
import type { ConnectionParts } from "./connection.ts";
import { createExchange } from "./exchange.ts";
import { buildNoControllerError, type Grant, requestLogin } from "./login.ts";
import { createMetering } from "./meter.ts";
import type { CertificateLogin, ControllerTarget } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import type { ControllerTestResult } from "./port-test-result.ts";
import { createSigner, explainSignedFailure, WHOAMI_PATH } from "./signature.ts";
import { createTransport } from "./transport.ts";
import { getHost } from "./transport-error.ts";

type ProbeParts = Pick<ConnectionParts, "clock" | "deadline" | "parseJson" | "inspect" | "maxBodyBytes" | "targets">;

interface SignedRead {
	readonly version: string | null;
}

/** The longest that a test waits for its session to be ended on the controller. */
const LOGOUT_TIMEOUT_MS = 2_000;
/** The longest that it waits for a certificate to show. */
const CERTIFICATE_TIMEOUT_MS = 5_000;

/** Tests every address of a connection. */
export async function testCluster(
	target: ControllerTarget,
	deps: ProbeParts,
	signal: AbortSignal,
): Promise<ControllerTestResult> {
	const urls = [target.url, ...(target.alternateUrls ?? [])];
	const tested: TestedAddress[] = [];
	// One after another until the credentials are known to be right: accounts are locked after a few
	// refused logins.
	for (const url of urls) {
		const one = await probeAddress({ ...target, url }, deps, signal);
		tested.push(one);
		if (!one.ok && one.kind === "credentials") return { ok: false, kind: one.kind, message: one.message };
		if (one.ok) break;
	}
	const left = urls.slice(tested.length);
	tested.push(...(await Promise.all(left.map((url) => probeAddress({ ...target, url }, deps, signal)))));
	const [first] = tested;
	const isCluster = urls.length > 1;
	const answered = tested.find((one) => one.ok);
	const found = tested.flatMap((one) => (one.ok || !one.certificate ? [] : [{ url: one.url, ...one.certificate }]));
	const untrusted = found.length > 0 ? { untrusted: found } : {};
	if (answered === undefined) {
		const { kind, message } = first as Extract<TestedAddress, { ok: false }>;
		return {
			ok: false,
			kind,
			message,
			...untrusted,
			...(isCluster ? { members: listTestedMembers(tested, null) } : {}),
		};
	}
	const fabricId = findExpectedFabric(tested, target.fabricId ?? null);
	const members = listTestedMembers(tested, fabricId);
	const [foreign] = listForeignMembers(tested, fabricId);
	if (foreign !== undefined && isCluster) {
		const message = `${foreign.url} belongs to the fabric ${foreign.facts.fabricId}, and the connection to ${fabricId}. Remove the address.`;
		return { ok: false, kind: "other_fabric", message, members, ...untrusted };
	}
	const unfit = isCluster && members.every(({ answered: isUp, state }) => !isUp || !USABLE.has(state));
	if (unfit) {
		const states = members
			.flatMap(({ url, state, error }) => (url === null ? [] : [error ?? `${url}: ${state}.`]))
			.join(" ");
		const message = `No member of the cluster may be asked. ${states} Repair the cluster, or add the address of a member that is fit.`;
		return { ok: false, kind: "no_member", message, members, ...untrusted };
	}
	const isConfirmed = target.isOneFabricConfirmed === true;
	const unreadable =
		isCluster && !isConfirmed ? tested.find((one) => one.ok && one.facts.fabricId === null) : undefined;
	const doubt =
		unreadable?.ok === true
			? `Requests do not go on at another address when one fails. ${describeUnreadable(unreadable.facts.unreadable)}`
			: null;
	const isAllowed = (url: string) => (deps.targets?.refusedHost(url) ?? null) === null;
	const { version, latencyMs } = answered;
	const suggested = listSuggestedUrls(tested, members, isAllowed);
	return { ok: true, version, latencyMs, fabricId, doubt, members, suggestedUrls: suggested, ...untrusted };
}

/** States of a member that answers are also `unknown` where the user may not read them. */
const USABLE: ReadonlySet<string> = new Set(["ok", "unknown"]);

async function probeAddress(
	target: ControllerTarget,
	{ clock, deadline, parseJson, inspect, maxBodyBytes, targets }: ProbeParts,
	signal: AbortSignal,
): Promise<TestedAddress> {
	const { url } = target;
	const transport = createTransport({ target, sockets: 1, maxBodyBytes, deadline, targets });
	const exchange = createExchange({ target, transport, parseJson, inspect, clock });
	const meter = createMetering(clock)();
	try {
		const start = clock.now();
		const outcome: Outcome<Grant | SignedRead> =
			"privateKey" in target ? await readSigned(target) : await requestLogin({ target, exchange }, signal, meter);
		const latencyMs = Math.max(0, clock.now() - start);
		if (!outcome.ok) {
			const { kind, message } = outcome.error;
			return { url, ok: false, kind, message, certificate: kind === "tls" ? await findCertificate(url) : null };
		}
		const granted = outcome.answer;
		const token = "token" in granted ? granted.token : null;
		const facts = await collectFacts(token, "node" in granted ? granted.node : null);
		if (token !== null) await logOut(token);
		return { url, ok: true, version: granted.version, latencyMs, facts };
	} finally {
		await transport.destroy();
	}

	async function findCertificate(address: string) {
		const giveUp = new AbortController();
		const cancelDeadline = deadline(CERTIFICATE_TIMEOUT_MS, () => giveUp.abort());
		try {
			const options = { signal: giveUp.signal, ...(targets === undefined ? {} : { lookup: targets.lookup }) };
			return await readCertificate(new URL(address), options);
		} finally {
			cancelDeadline();
		}
	}

	/** Without retries, and nothing where the controller does not answer it. */
	async function collectFacts(token: string | null, node: string | null): Promise<ClusterFacts> {
		async function readObjects(path: string) {
			const proof = token === null ? await signRequest("GET", path) : { token };
			const outcome = await exchange({ method: "GET", path, ...proof, signal, meter });
			return outcome.ok ? (outcome.answer.objects?.rows() ?? []) : [];
		}
		return readFacts(readObjects, node);
	}

	async function signRequest(method: string, path: string) {
		if (!("privateKey" in target)) throw new Error("the target has no private key");
		return { signature: await createSigner(target)(method, path) };
	}

	async function readSigned(signed: ControllerTarget & CertificateLogin): Promise<Outcome<SignedRead>> {
		const outcome = await exchange({
			method: "GET",
			path: WHOAMI_PATH,
			...(await signRequest("GET", WHOAMI_PATH)),
			signal,
			meter,
		});
		const host = getHost(new URL(target.url));
		if (!outcome.ok) {
			const { kind, status } = outcome.error;
			return kind === "bad_answer" ? buildNoControllerError(host, status) : explainSignedFailure(outcome, signed);
		}
		const { objects, status } = outcome.answer;
		if (objects === null) return buildNoControllerError(host, status);
		// A user may lack the right to read it.
		const version = objects.rows()[0]?.topSystem?.attributes.version;
		return { ok: true, answer: { version: version === undefined || version === "" ? null : version } };
	}

	/**
	 * Controllers limit the sessions of a user; a test must not use them up. Its success does not
	 * change the result.
	 */
	async function logOut(token: string): Promise<void> {
		const body = JSON.stringify({ aaaUser: { attributes: { name: target.username } } });
		const giveUp = new AbortController();
		const cancelDeadline = deadline(LOGOUT_TIMEOUT_MS, () => giveUp.abort());
		try {
			await exchange({ method: "POST", path: "/api/aaaLogout.json", body, token, signal: giveUp.signal, meter });
		} catch (error) {
			if (!(error instanceof ControllerError)) throw error;
		} finally {
			cancelDeadline();
		}
	}
}
