import init, { estimate, json } from 'shardwise';

const said = [];
try {
  estimate({});
} catch (error) {
  said.push(error.message);
}
await init();
const cases = await (await fetch('../cases.json')).json();
window.told = { said, lines: cases.map(({ call, input, options }) => json[call](input, options)) };
document.getElementById('done').textContent = `${cases.length}`;
