/** `npm run demo` on an empty folder. */
import { stat } from "node:fs/promises";
import { expect, it } from "vitest";
import { findBridgeDomainLine, useDemo } from "../support/demo.ts";

const demo = useDemo();

it("shows ten steps, from two fabrics to four questions", async () => {
	const shown = await demo.runStory();
	expect([...shown.matchAll(/^ {2}(\d{1,2}) {1,2}\S/gm)].map(([, number]) => Number(number))).toEqual([
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
	]);
	expect(shown).toMatch(/The class model 5\.2\(1\) has 1\d{3} classes\./);
	expect(shown).toMatch(/\d+ objects; of \d+ DNs \d+ are in one fabric only/);
	expect(shown).toContain("14 executions, 14 successful");
	expect(shown).toMatch(/~ uni\/tn-\S+ {2}\(by (admin|operator|automation)\)/);
	expect(shown).toMatch(/failing {2}Every bridge domain routes \(\d+ violations\)/);
	expect(shown).toMatch(/error {4}As approved in the audit/);
	expect(shown).toMatch(/pending {2}No critical fault stays/);
	expect(shown).toMatch(/ok {7}There are bridge domains/);
	expect(shown).toMatch(/awaiting_approval {2}Bridge domains for the web shop/);
	expect(shown).toMatch(/successful {9}Bridge domains for the branch offices \(3 rows, by olga\)/);
	expect(shown).toMatch(findBridgeDomainLine(1));
	const declared = String.raw`\n +4 declared by approved rows have happened\n +`;
	const foreign = "not declared: uni/tn-Retail-01/BD-bd-dock by mara, who does not do the work: arpFlood no → yes";
	const windows = [
		"CHG0031337 Bridge domains for the warehouse on fab-dc1: passed, signed by ada",
		"CHG0031402 Bridge domains for the parcel service on fab-dc1: failed, not signed",
		String.raw`${foreign}\n +Change windows`,
	];
	expect(shown).toMatch(new RegExp(windows.join(declared)));
	const date = String.raw`\d{4}-\d\d-\d\d`;
	expect(shown).toMatch(
		new RegExp(`maintenance "New power supplies in data centre 2" on fab-dc2: (${date}) 02:00 to \\1 04:00 UTC`),
	);
	expect(shown).toMatch(
		new RegExp(`freeze "Stocktaking of the stores" on fab-dc2: ${date} 18:00 to ${date} 06:00 UTC`),
	);
	expect(shown).toMatch(/Who changed bd-checkout\? .*\n +mara in fab-dc1, seen [\d :-]+: .*unicastRoute yes → no/);
	expect(shown).toMatch(
		/Where is 10\.70\.1\.21\? .*\n +fab-dc1: uni\/tn-Retail-01\/ap-checkout\/epg-till\/cep-00:50:56:AB:CD:21/,
	);
	for (const fabric of ["fab-dc1", "fab-dc2"])
		expect(shown).toContain(`  ${fabric}: uni/tn-Retail-01/ap-checkout/epg-kiosk\n`);
	expect((await stat(demo.getMemoryPath())).mode & 0o777).toBe(0o600);
});

it("ends with a sentence and the exit code 2 at an argument that it does not know", async () => {
	const { ended, output } = demo.start(["--restart"]);
	expect(await ended).toBe(2);
	expect(output.stderr).toBe('The demo does not know the argument "--restart". It knows --exit and --reset.\n');
	expect(output.stdout).toBe("");
});
