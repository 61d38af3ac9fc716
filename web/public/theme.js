// Sets theme and density before the first paint; the settings themselves are changed in src/platform/appearance.ts.
(() => {
	const root = document.documentElement;
	let theme = "system";
	let density = "compact";
	try {
		theme = localStorage.getItem("weft.theme") || theme;
		density = localStorage.getItem("weft.density") || density;
	} catch {
		// Storage is switched off: the defaults stand.
	}
	const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
	root.dataset.theme = dark ? "dark" : "light";
	root.dataset.density = density;
})();
