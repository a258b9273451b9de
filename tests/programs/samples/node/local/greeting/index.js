module.exports = () => 'hello from a package';
