/** Set-up of tests of checks at the end of runs: two connections to one simulated controller. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll } from "vitest";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import type { WebhookSender } from "../../src/integrations/webhooks/port.ts";
import { addConnection, RUNS } from "./canvases.ts";
import { CHECKS, getChecks } from "./checks.ts";
import { type Answer, startTestApp, type TestApp, type TestUser } from "./harness.ts";
import { createEagerDriver } from "./runs.ts";

export interface CheckRuns {
	t: TestApp;
	lab: RunningController;
	ada: TestUser;
	connection: string;
	other: string;
	checks: ReturnType<typeof getChecks>;
	/** The service's metrics, which this token shows. */
	readonly metrics: ReturnType<typeof createMetrics> & { readonly token: string };
	patchCheck(id: string, body: object): Promise<Answer>;
	/** Rows that a run of tenants has. */
	readTenantRows(): Promise<Answer["body"]>;
	/** Lets the controller be busy for requests of tenants, in this test. */
	failTenantQueries(): void;
}

/**
 * Sets up one test file. The returned fields are set before its first test begins.
 * @param webhooks sends webhooks; the caller closes it
 */
export function useCheckRuns({ webhooks }: { readonly webhooks?: WebhookSender } = {}): CheckRuns {
	const metrics = { ...createMetrics("0.0.0-test"), token: "a metrics token that only tests use" };
	const runs = {
		metrics,
		patchCheck: (id, body) => runs.ada.api.patch(`${CHECKS}${id}/`, body),
		async readTenantRows() {
			const run = await runs.checks.run(await runs.checks.query(), runs.connection);
			return (await runs.ada.api.get(`${RUNS}${run}/results/?page_size=200`)).body.results;
		},
		failTenantQueries: () => runs.lab.setFaults({ busy: { match: "fvTenant" } }),
	} as CheckRuns;
	beforeAll(async () => {
		runs.lab = await startController({ size: "small" });
		const deps = { controllers: createEagerDriver(), metrics, ...(webhooks && { webhooks }) };
		runs.t = await startTestApp({ work: true, deps });
		runs.ada = await runs.t.user("ada", ["Editor"]);
		runs.checks = getChecks(runs.ada.api, () => runs.t);
		runs.connection = await addConnection(runs.ada.api, runs.lab, { name: "fab-dc1" });
		runs.other = await addConnection(runs.ada.api, runs.lab, { name: "fab-dc2" });
	});
	afterEach(() => runs.lab.clearFaults());
	afterAll(async () => {
		await runs.t.close();
		await runs.lab.close();
	});
	return runs;
}
