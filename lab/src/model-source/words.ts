/** What generated classes and properties are called. */
import { createPermutation, hashText, type Random } from "../controller/random.ts";

const NOUNS =
	"Access Adj Agent Alarm Area Assoc Attr Auth Band Block Buffer Cert Chain Chassis Clock Cluster Comp Conf Conn Cont Core Counter Ctrl Db Def Dev Dom Edge Encap Engine Entity Entry Event Export Ext Fan Feed Field Filter Flow Frame Gate Grp Hash Header Host If Image Index Inst Job Key Label Lane Layer Leaf Lic Link List Loop Map Match Mem Module Mon Node Opt Pack Path Peer Plane Pol Pool Port Power Prefix Prof Proxy Queue Range Rate Record Region Remote Role Route Rule Scope Sensor Session Slot Span Spine State Store Sub Summ Switch Table Tag Task Timer Topo Track Trans Trunk Unit User Vip Zone".split(
		" ",
	);

const SYLLABLES =
	"ac am bri co dae ex fan gra hi in jo ka lo mu net op pe qos re sys to up vi wan xe yo zed l3 dot1 v6".split(" ");
const ADJECTIVES =
	"active admin allowed average backup configured current default desired effective expected faulty forced global idle initial last local maximum minimum native observed operational pending preferred primary remote reserved secondary stale total valid".split(
		" ",
	);

/** Package names of lower case letters and digits, all different. */
export function buildPackageNames(count: number, random: Random, taken: ReadonlySet<string>): string[] {
	const names = new Set<string>();
	while (names.size < count) {
		const name = random.pick(SYLLABLES) + random.pick(SYLLABLES) + (random.next() < 0.3 ? random.pick(SYLLABLES) : "");
		if (/^[a-z]/.test(name) && !taken.has(name)) names.add(name);
	}
	return [...names];
}

/** The words of the n-th class name: three nouns, every n another three. */
export function listClassWords(seed: number): (n: number) => string[] {
	const size = NOUNS.length ** 3;
	const place = createPermutation(size, { ...createConstantRandom(seed) });
	return (n) => {
		const at = place(n % size);
		const pick = (index: number) => NOUNS[index % NOUNS.length] ?? "Unit";
		return [pick(at), pick(Math.floor(at / NOUNS.length)), pick(Math.floor(at / NOUNS.length ** 2))];
	};
}

/** `adminClock`, `lastPeer` …: the n-th name of a class's own properties. */
export function buildPropertyName(seed: number): string {
	const adjective = ADJECTIVES[seed % ADJECTIVES.length] ?? "active";
	const noun = NOUNS[Math.floor(seed / ADJECTIVES.length) % NOUNS.length] ?? "Unit";
	return adjective + noun;
}

function createConstantRandom(seed: number): Random {
	const hash = hashText("class words", seed);
	return {
		next: () => hash / 4_294_967_296,
		int: (below) => hash % below,
		pick: (from) => {
			const found = from[hash % from.length];
			if (found === undefined) throw new Error("nothing to pick from");
			return found;
		},
	};
}
