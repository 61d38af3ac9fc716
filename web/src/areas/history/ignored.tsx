/** Attributes that the user ignores in comparisons, stored in their preferences. */
import { authRoutes } from "@weft/contracts/browser";
import { useMemo, useState } from "react";
import { callRoute } from "../../platform/call.ts";
import { useProfile } from "../../platform/profile.ts";
import { queries } from "../../platform/weft.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { Banner } from "../../ui/page.tsx";
import { showProblem } from "../../ui/toast.tsx";
import type { Entry } from "./compare-model.ts";

/** Attributes that change by themselves, ignored by default. */
const USUAL_NOISE = ["modTs"];
const KEPT_UNDER = "compare";

export function useIgnored() {
	const profile = useProfile();
	const sections = profile?.preferences.class_browser_sections;
	const kept = (sections?.[KEPT_UNDER] as { ignored?: unknown } | undefined)?.ignored;
	const list = Array.isArray(kept) ? kept.map(String) : USUAL_NOISE;
	const key = list.join(" ");
	const ignored = useMemo(() => new Set(key === "" ? [] : key.split(" ")), [key]);
	const ignore = async (names: string[]) => {
		await callRoute(authRoutes.updatePreferences, {
			body: { class_browser_sections: { ...sections, [KEPT_UNDER]: { ignored: names } } },
		});
		await queries.invalidateQueries({ queryKey: [authRoutes.profile.id] });
	};
	return { ignored, ignore };
}

interface IgnoreDialogProps {
	readonly open: boolean;
	readonly ignored: ReadonlySet<string>;
	readonly entries: readonly Entry[];
	onSave(names: string[]): Promise<void>;
	onClose(): void;
}

const FREQUENT = 8;

export function IgnoreDialog({ open, ignored, entries, onSave, onClose }: IgnoreDialogProps) {
	const [text, setText] = useState<string | null>(null);
	const shown = text ?? [...ignored].join("\n");
	const frequent = useMemo(() => {
		const counts = new Map<string, number>();
		for (const { kind, changed } of entries)
			if (kind === "modified") for (const { key } of changed) counts.set(key, (counts.get(key) ?? 0) + 1);
		return [...counts].sort((a, b) => b[1] - a[1]).slice(0, FREQUENT);
	}, [entries]);
	const names = shown
		.split(/\s+/)
		.map((name) => name.trim())
		.filter((name) => name !== "");
	const close = () => {
		setText(null);
		onClose();
	};
	return (
		<Dialog
			open={open}
			title="Attributes that I hide"
			description="Your comparisons leave out these attributes, one a line. The rules of the query decide what counts as drift."
			onClose={close}
			actions={
				<>
					<Button onClick={close}>Cancel</Button>
					<Button variant="primary" onClick={() => void onSave(names).then(close, showProblem)}>
						Save
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				<AreaField
					mono
					hideLabel
					label="Hidden attributes"
					rows={5}
					value={shown}
					spellCheck={false}
					onChange={(event) => setText(event.target.value)}
				/>
				{frequent.length > 0 && (
					<div className="flex flex-wrap gap-1.5">
						{frequent.map(([name, times]) => (
							<Button key={name} disabled={names.includes(name)} onClick={() => setText([...names, name].join("\n"))}>
								<span className="mono">{name}</span> <span className="num text-muted">{times}</span>
							</Button>
						))}
					</div>
				)}
				{names.length === 0 && <Banner tone="info" title="No attribute is hidden." />}
			</div>
		</Dialog>
	);
}
