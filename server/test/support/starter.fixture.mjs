/** A process that starts the store: prints one JSON line, `up` or `failed`, and stops at the word "stop" on its standard input. */
const [module, options] = process.argv.slice(2);
const { startEmbeddedPostgres } = await import(module);
const printValue = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
	const store = await startEmbeddedPostgres({ ...JSON.parse(options), log: () => undefined });
	printValue({ up: store.connection });
	process.stdin.once("data", async () => {
		await store.stop();
		process.exit(0);
	});
} catch (error) {
	printValue({ failed: error.message });
	process.exit(1);
}
