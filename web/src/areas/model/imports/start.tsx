/** Choosing what to import: a published version, or what a controller itself serves. */
import type { SourceVersion } from "@weft/contracts";
import { mimRegistryRoutes } from "@weft/contracts/browser";
import { WeftError } from "@weft/sdk";
import { Download } from "lucide-react";
import { type FormEvent, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { formatCount } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useConnections } from "../../../platform/target.ts";
import { Button } from "../../../ui/button.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { Loaded, Panel, ProblemBanner } from "../../../ui/page.tsx";

interface StartImportProps {
	/** Keys of versions. */
	readonly installed: readonly string[];
	onStarted(runId: string): void;
}

export function StartImport({ installed, onStarted }: StartImportProps) {
	const answer = useAnswer(mimRegistryRoutes.versions, undefined, { staleTime: 5 * 60_000 });
	return (
		<Panel title="Import a version" padded>
			<Loaded answer={answer} lines={3}>
				{(versions) => <Form versions={versions} installed={installed} onStarted={onStarted} />}
			</Loaded>
		</Panel>
	);
}

const PUBLISHED = "remote";

function Form({ versions, installed, onStarted }: StartImportProps & { versions: readonly SourceVersion[] }) {
	const connections = useConnections();
	const [source, setSource] = useState(PUBLISHED);
	const [key, setKey] = useState(versions[0]?.version_key ?? "");
	const start = useAction(
		async (concurrency: number | null) => {
			try {
				return await callRoute(mimRegistryRoutes.install, {
					body:
						source === PUBLISHED
							? { source: "remote", version_key: key, concurrency }
							: { source: "controller", controller_connection_id: source, concurrency },
				});
			} catch (error) {
				// Another user started one at the same time: show theirs.
				const running = error instanceof WeftError && error.status === 409 ? error.body : null;
				if (hasRun(running)) return running;
				throw error;
			}
		},
		{ stale: ["mim_registry"], onSuccess: ({ run_id }) => onStarted(run_id) },
	);
	const fields = start.error === null ? {} : findProblem(start.error).fields;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const text = String(new FormData(event.currentTarget).get("concurrency") ?? "");
		start.mutate(text === "" ? null : Number(text));
	};
	const chosen = versions.find(({ version_key }) => version_key === key);
	const controllers = connections.data?.results.filter(({ is_active }) => is_active) ?? [];
	return (
		<form className="flex flex-col gap-3" onSubmit={submit}>
			{start.error !== null && Object.keys(fields).length === 0 && <ProblemBanner error={start.error} />}
			<div className="grid grid-cols-[2fr_2fr_1fr] gap-3 max-md:grid-cols-1">
				<SelectField
					label="From"
					value={source}
					options={[
						{ value: PUBLISHED, label: "Published versions" },
						...controllers.map(({ id, name }) => ({ value: id, label: `Controller ${name}` })),
					]}
					hint={source === PUBLISHED ? "" : "Served by the controller itself, for networks without internet access."}
					error={fields.controller_connection_id}
					onChange={(event) => setSource(event.target.value)}
				/>
				{source === PUBLISHED && (
					<SelectField
						label="Version"
						value={key}
						options={versions.map(({ version_key, label, is_supported }) => ({
							value: version_key,
							label: `${label}${installed.includes(version_key) ? ", installed" : ""}`,
							disabled: !is_supported,
						}))}
						hint={chosen && describeVersion(chosen)}
						error={fields.version_key}
						onChange={(event) => setKey(event.target.value)}
					/>
				)}
				<TextField
					label="Concurrent requests"
					name="concurrency"
					type="number"
					min={1}
					max={10}
					placeholder="usual"
					hint="1 to 10"
					error={fields.concurrency}
				/>
			</div>
			<div className="flex flex-wrap items-center gap-3">
				<Button variant="primary" icon={Download} type="submit" busy={start.isPending}>
					Import
				</Button>
				<span className="text-muted">The version in use stays in use until the new one is complete.</span>
			</div>
		</form>
	);
}

/** A release as people write it: 6.0(1) for 601. */
const formatRelease = (key: string): string => key.replace(/^(\d)(\d)(\d+)$/, "$1.$2($3)");

function describeVersion({ class_count_seed, fallback_chain, notes }: SourceVersion): string {
	return [
		class_count_seed > 0 && `About ${formatCount(class_count_seed)} classes.`,
		fallback_chain.length > 0 &&
			`Classes missing here are looked up in ${fallback_chain.map(formatRelease).join(", then ")}.`,
		notes,
	]
		.filter(Boolean)
		.join(" ");
}

const hasRun = (body: unknown): body is { run_id: string } =>
	typeof body === "object" && body !== null && "run_id" in body && typeof body.run_id === "string";
