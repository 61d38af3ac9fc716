/** Objects by address, VLAN, DN or name: of snapshots, and of the controllers as they answer. */
import { getRouteApi } from "@tanstack/react-router";
import type { FindAnswer } from "@weft/contracts";
import { FIND_LIMITS, findRoutes } from "@weft/contracts/browser";
import { Radar, Search } from "lucide-react";
import { useEffect, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { useMay } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { useTargets } from "../../../platform/target.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { SelectField, TextField } from "../../../ui/field.tsx";
import { Empty, Loaded, PageHead, Panel, ProblemBanner } from "../../../ui/page.tsx";
import { FoundTable } from "./found-table.tsx";
import { LivePanel } from "./live-panel.tsx";

const route = getRouteApi("/app/find");

const KINDS: Readonly<Record<FindAnswer["kind"], string>> = {
	ip: "IP address",
	prefix: "Prefix",
	mac: "MAC address",
	vlan: "VLAN",
	dn: "DN",
	name: "Name",
};

export function FindPage() {
	const [{ q = "", connection, live }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const may = useMay();
	const targets = useTargets();
	const query = { q, limit: String(FIND_LIMITS.objects), ...(connection === undefined ? {} : { connection }) };
	const answer = useAnswer(findRoutes.search, { query }, { enabled: q !== "" });
	const asked = targets
		.filter(({ id }) => connection === undefined || id === connection)
		.slice(0, FIND_LIMITS.connections)
		.map(({ id }) => id);
	const ask = useAction(() => callRoute(findRoutes.startLive, { body: { q, controller_connection_ids: asked } }), {
		onSuccess: ({ id }) => set({ live: id }),
	});
	return (
		<>
			<PageHead
				title={q === "" ? "Find" : `Find ${q}`}
				facts={answer.data && <Facts answer={answer.data} />}
				actions={<CopyAs call={() => ({ route: findRoutes.search, query })} />}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<div className="flex flex-wrap items-end gap-2">
					<Question key={q} q={q} onAsk={(text) => set({ q: text, live: undefined })} />
					<SelectField
						label="Fabric"
						hideLabel
						value={connection ?? ""}
						options={[
							{ value: "", label: "All fabrics" },
							...targets.map(({ id, name }) => ({ value: id, label: name })),
						]}
						onChange={({ target }) => set({ connection: target.value || undefined, live: undefined })}
					/>
					{q !== "" && may("execute_savedquery") && asked.length > 0 && (
						<Button icon={Radar} busy={ask.isPending} onClick={() => ask.mutate(undefined)}>
							Ask the fabrics now
						</Button>
					)}
				</div>
				{ask.error !== null && <ProblemBanner error={ask.error} />}
				{live !== undefined && <LivePanel id={live} />}
				<Panel title="In snapshots">
					{q === "" ? (
						<Empty icon={Search}>Type an IP address, a MAC address, a VLAN, a DN or a part of a name.</Empty>
					) : (
						<Loaded answer={answer} lines={6}>
							{({ objects }) =>
								objects.length === 0 ? (
									<Empty icon={Search}>
										No snapshot has such an object. Ask the fabrics, or turn on snapshots for more queries.
									</Empty>
								) : (
									<FoundTable label="Objects in snapshots" objects={objects} />
								)
							}
						</Loaded>
					)}
				</Panel>
			</div>
		</>
	);
}

function Facts({ answer: { kind, normalized, total, is_total_exact, objects } }: { answer: FindAnswer }) {
	return (
		<>
			<span>{KINDS[kind]}</span>
			<span className="mono">{normalized}</span>
			<span>{is_total_exact ? formatPlural(total, "object") : `more than ${formatPlural(total, "object")}`}</span>
			{objects.length < total && <span>the best {formatCount(objects.length)} are shown: type more to see others</span>}
		</>
	);
}

/** The field of the question. Enter asks it. */
function Question({ q, onAsk }: { q: string; onAsk(text: string): void }) {
	const [text, setText] = useState(q);
	useEffect(() => {
		if (q === "") document.querySelector<HTMLInputElement>("[data-page-filter]")?.focus();
	}, [q]);
	return (
		<form
			className="flex min-w-52 flex-1 basis-64 items-end gap-2 sm:max-w-lg"
			onSubmit={(event) => {
				event.preventDefault();
				if (text.trim() !== "") onAsk(text.trim());
			}}
		>
			<TextField
				mono
				hideLabel
				label="Find an object"
				className="flex-1"
				data-page-filter
				maxLength={FIND_LIMITS.question}
				value={text}
				placeholder="10.1.2.3, 00:22:bd:f8:19:ff, vlan-150, web"
				onChange={({ target }) => setText(target.value)}
			/>
			<Button type="submit" variant="primary" icon={Search}>
				Find
			</Button>
		</form>
	);
}
