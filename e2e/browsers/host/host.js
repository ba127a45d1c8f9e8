// Puts the calculator into this page, as the address says from where, and keeps what it answers.
window.answers = [];
const script = document.createElement('script');
script.src = new URLSearchParams(location.search).get('script');
script.onload = () => {
  const own = document.createElement('shardwise-calculator');
  own.addEventListener('answer', ({ detail }) => window.answers.push(detail));
  document.body.append(own);
};
document.head.append(script);
