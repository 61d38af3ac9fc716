/** The proxies of `WEFT_TRUSTED_PROXIES`: networks, and host names that are resolved repeatedly. */
import { lookup } from "node:dns/promises";
import type { ProxyList, TrustedProxies } from "../http/client-address.ts";
import { buildBlockList, isListed, isNetwork } from "../networks.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { repeatWork } from "../repeating.ts";

/** `loopback`, the number of proxies, or networks and host names. */
export type TrustedProxiesSetting = "loopback" | number | readonly string[];

/** Milliseconds from one resolution of the host names to the next. */
const RESOLVE_EVERY_MS = 5_000;

const UNRESOLVED = "a host name of WEFT_TRUSTED_PROXIES cannot be resolved; its last addresses stay trusted";

interface ProxyContext {
	readonly clock: Clock;
	readonly log: Log;
	/** All addresses of a host name; throws where it has none. */
	readonly resolve?: (name: string) => Promise<readonly string[]>;
}

const resolveName = async (name: string): Promise<readonly string[]> =>
	(await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Resolves the host names of the setting now and every five seconds. A name that cannot be resolved
 * keeps the addresses that it had.
 */
export async function openTrustedProxies(
	setting: TrustedProxiesSetting,
	{ clock, log, resolve = resolveName }: ProxyContext,
): Promise<{ readonly trusted: TrustedProxies; close(): Promise<void> }> {
	if (typeof setting !== "object") return { trusted: setting, close: async () => {} };
	const networks = buildBlockList(setting.filter(isNetwork));
	const names = setting.filter((part) => !isNetwork(part));
	const failing = new Set<string>();
	const addressesByName = new Map<string, ReadonlySet<string>>();
	const trusted: ProxyList = {
		has: (address) =>
			isListed(networks, address) || [...addressesByName.values()].some((addresses) => addresses.has(address)),
	};

	/** Logs the first failure of several in a row. */
	async function updateAddresses(name: string): Promise<void> {
		try {
			const addresses = (await resolve(name)).map((address) => address.toLowerCase());
			addressesByName.set(name, new Set(addresses));
			failing.delete(name);
		} catch (err) {
			if (!failing.has(name)) log.warn({ err, name }, UNRESOLVED);
			failing.add(name);
		}
	}

	const updateAll = () => Promise.all(names.map(updateAddresses));
	await updateAll();
	const repeating = repeatWork({ clock, log }, [{ everyMs: RESOLVE_EVERY_MS, failure: UNRESOLVED, work: updateAll }]);
	return { trusted, close: () => repeating.stop() };
}
